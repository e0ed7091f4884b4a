-- The ledger of model calls, and which chat chose which model.

CREATE TABLE model_calls (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    day TEXT NOT NULL, -- of the gateway's time zone: budgets are per day
    chat TEXT NOT NULL,
    person TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    outcome TEXT NOT NULL -- ok, cancelled, or the code of the error
) STRICT;

CREATE INDEX model_calls_by_chat ON model_calls (chat, day);
CREATE INDEX model_calls_by_person ON model_calls (person, day);
CREATE INDEX model_calls_by_day ON model_calls (day);

CREATE TABLE chat_models (
    chat TEXT NOT NULL PRIMARY KEY,
    label TEXT NOT NULL
) STRICT, WITHOUT ROWID;
