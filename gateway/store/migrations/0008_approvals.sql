-- What was approved for more than once. An empty `session_id`: for good.

CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- people type it: none is given twice
    chat TEXT NOT NULL,
    person TEXT NOT NULL,
    kind TEXT NOT NULL,
    pattern TEXT NOT NULL,
    session_id TEXT NOT NULL,
    given_by TEXT NOT NULL,
    given_at TEXT NOT NULL,
    UNIQUE (chat, person, kind, pattern, session_id)
) STRICT;
