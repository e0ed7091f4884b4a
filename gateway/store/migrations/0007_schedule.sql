-- Scheduled jobs. `next_run` and `last_run` are instants in UTC; what `when_value` means in the zone
-- is told in gateway/store/schedule.py.

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- ids are part of event ids: none is given twice
    chat TEXT NOT NULL,
    platform TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    chat_kind TEXT NOT NULL,
    thread_id TEXT,
    chat_title TEXT,
    owner_id TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    prompt TEXT NOT NULL,
    when_kind TEXT NOT NULL CHECK (when_kind IN ('once', 'every', 'cron')),
    when_value TEXT NOT NULL,
    zone TEXT NOT NULL,
    next_run TEXT NOT NULL,
    remaining INTEGER CHECK (remaining >= 1),
    is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    last_run TEXT,
    last_outcome TEXT
) STRICT;

CREATE INDEX jobs_by_chat ON jobs (chat);
CREATE INDEX jobs_by_owner ON jobs (platform, owner_id);
CREATE INDEX jobs_by_time ON jobs (next_run) WHERE is_paused = 0;
