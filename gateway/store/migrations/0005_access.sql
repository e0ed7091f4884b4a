-- Who may talk: what was granted to whom, the open claim to ownership, and who asks to be let in.
-- Codes are here only as salted digests.

CREATE TABLE access_revision (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL -- grows with every change of grants or claim
) STRICT;

INSERT INTO access_revision (id, revision) VALUES (1, 0);

CREATE TABLE access_grants (
    platform TEXT NOT NULL,
    person_id TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'blocked')),
    source TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    granted_at TEXT NOT NULL,
    PRIMARY KEY (platform, person_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE access_claim (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE pairing_requests (
    platform TEXT NOT NULL,
    person_id TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    name TEXT NOT NULL,
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    requested_at TEXT NOT NULL,
    is_denied INTEGER NOT NULL CHECK (is_denied IN (0, 1)),
    PRIMARY KEY (platform, person_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pairing_guard (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    failures INTEGER NOT NULL CHECK (failures >= 0),
    failed_at TEXT
) STRICT;

INSERT INTO pairing_guard (id, failures) VALUES (1, 0);
