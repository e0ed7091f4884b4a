-- What it takes to go on after a kill: what came in, what agents were told, what was carried out,
-- and what was put on screens.

CREATE TABLE inbound (
    number INTEGER PRIMARY KEY, -- the order in which events were taken
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL,
    chat TEXT NOT NULL, -- the session key; empty for events that are only remembered as seen
    state TEXT NOT NULL, -- accepted, command, begun, done, answer, merged, refused, dropped
    event TEXT, -- all of it, as JSON, until something has become of it
    taken_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (platform, event_id)
) STRICT;

CREATE INDEX inbound_by_age ON inbound (taken_at);
CREATE INDEX inbound_waiting ON inbound (number) WHERE state IN ('accepted', 'command');

INSERT INTO inbound (platform, event_id, chat, state, taken_at, updated_at)
SELECT platform, event_id, '', 'done', seen_at, seen_at FROM events ORDER BY seen_at;
DROP TABLE events;

CREATE TABLE lives ( -- an agent's, from its waking to its sleep
    id TEXT NOT NULL PRIMARY KEY,
    chat TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    artefact TEXT NOT NULL, -- which agent it was
    begun_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX lives_by_session ON lives (session_id, begun_at);
CREATE INDEX lives_by_age ON lives (begun_at);

CREATE TABLE turns (
    id TEXT NOT NULL PRIMARY KEY,
    life_id TEXT NOT NULL REFERENCES lives (id) ON DELETE CASCADE,
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL, -- the inbound event that it answers, …
    event TEXT NOT NULL, -- … and all of that, as JSON
    begun_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT,
    resumed INTEGER NOT NULL DEFAULT 0, -- so often since it last came a step further
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX turns_by_life ON turns (life_id);
CREATE INDEX open_turns ON turns (begun_at) WHERE ended_at IS NULL;

CREATE TABLE steps ( -- the journal: what was fed in one call
    life_id TEXT NOT NULL REFERENCES lives (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 0),
    turn_id TEXT REFERENCES turns (id) ON DELETE CASCADE, -- none for what an agent is woken with
    lines BLOB NOT NULL, -- UTF-8, each with its line end; compressed by zlib if that is shorter
    is_compressed INTEGER NOT NULL,
    answers TEXT, -- sha256 of the lines answered; set once what they ask to keep has been kept
    fed_at TEXT NOT NULL,
    PRIMARY KEY (life_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX steps_by_turn ON steps (turn_id);

CREATE TABLE tool_runs (
    turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    started_at TEXT NOT NULL,
    PRIMARY KEY (turn_id, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
    id TEXT NOT NULL PRIMARY KEY, -- stands in the data of its buttons
    turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    clarify_id TEXT NOT NULL, -- the agent's own id of it
    question TEXT NOT NULL, -- all of it, as JSON
    asked_at TEXT NOT NULL,
    answer TEXT, -- as JSON
    UNIQUE (turn_id, clarify_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbound ( -- the messages that turns put on screens
    turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    reply TEXT NOT NULL, -- which of the turn's replies
    position INTEGER NOT NULL, -- which part of it
    state TEXT NOT NULL, -- sending, sent, unknown
    message_id TEXT, -- the platform's, once it is known
    markdown TEXT, -- the whole reply, if this part was sent as a final one
    updated_at TEXT NOT NULL,
    PRIMARY KEY (turn_id, reply, position)
) STRICT, WITHOUT ROWID;
