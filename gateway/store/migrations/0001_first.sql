-- Sessions, their messages, memory, and which events were seen. Times are ISO 8601 in UTC with six
-- decimals, so that their order as text is their order in time.

PRAGMA application_id = 1213353299; -- "HRMS": tells our files from other programs'

CREATE TABLE events (
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    PRIMARY KEY (platform, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_age ON events (seen_at);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    chat TEXT NOT NULL,
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    ended_at TEXT,
    end_reason TEXT,
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
) STRICT;

CREATE UNIQUE INDEX one_open_session_per_chat ON sessions (chat) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_chat ON sessions (chat, started_at);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY, -- what a full-text index will refer to
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0),
    role TEXT NOT NULL,
    text TEXT NOT NULL, -- what a person can read in it
    message TEXT NOT NULL, -- all of it, as JSON
    created_at TEXT NOT NULL,
    UNIQUE (session_id, position)
) STRICT;

CREATE TABLE memories (
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'user')),
    owner TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (kind, owner)
) STRICT, WITHOUT ROWID;
