-- Titles and parents of sessions, who was in which chat, and all messages in two full-text indexes.
-- Messages that are no longer part of a history, undone or summed up, have no position any more.

ALTER TABLE sessions ADD COLUMN title TEXT; -- as a person gave it
ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id) ON DELETE SET NULL; -- it followed that one

CREATE TABLE kept_messages (
    id INTEGER PRIMARY KEY, -- what the full-text indexes refer to
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER CHECK (position >= 0), -- in the history; NULL: no longer in it
    role TEXT NOT NULL,
    text TEXT NOT NULL, -- what a person can read in it
    message TEXT NOT NULL, -- all of it, as JSON
    created_at TEXT NOT NULL,
    scope TEXT NOT NULL, -- the chat, as the indexes have it: see scopes.py
    UNIQUE (session_id, position)
) STRICT;

INSERT INTO kept_messages
SELECT messages.id, session_id, position, role, text, message, created_at, scope_of(chat)
FROM messages JOIN sessions ON sessions.id = session_id;
DROP TABLE messages;
ALTER TABLE kept_messages RENAME TO messages;

CREATE INDEX messages_by_scope ON messages (scope);

CREATE TABLE members ( -- who has written in a chat
    chat TEXT NOT NULL,
    person TEXT NOT NULL, -- platform:id
    name TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    PRIMARY KEY (chat, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_person ON members (person);

-- Words with their accents folded, and pieces of three characters: the latter find Chinese and
-- Japanese, and parts of words. Of very long texts only the beginning is indexed.
CREATE VIRTUAL TABLE message_words USING fts5(
    scope, text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE message_pieces USING fts5(
    scope, text, content='', columnsize=0, tokenize='trigram'
);

INSERT INTO message_words (rowid, scope, text) SELECT id, scope, substr(text, 1, 10000) FROM messages;
INSERT INTO message_pieces (rowid, scope, text) SELECT id, scope, substr(text, 1, 10000) FROM messages;

CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    INSERT INTO message_words (rowid, scope, text) VALUES (new.id, new.scope, substr(new.text, 1, 10000));
    INSERT INTO message_pieces (rowid, scope, text) VALUES (new.id, new.scope, substr(new.text, 1, 10000));
END;

CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    INSERT INTO message_words (message_words, rowid, scope, text)
    VALUES ('delete', old.id, old.scope, substr(old.text, 1, 10000));
    INSERT INTO message_pieces (message_pieces, rowid, scope, text)
    VALUES ('delete', old.id, old.scope, substr(old.text, 1, 10000));
END;

CREATE TRIGGER message_changed AFTER UPDATE OF text, scope ON messages BEGIN
    INSERT INTO message_words (message_words, rowid, scope, text)
    VALUES ('delete', old.id, old.scope, substr(old.text, 1, 10000));
    INSERT INTO message_pieces (message_pieces, rowid, scope, text)
    VALUES ('delete', old.id, old.scope, substr(old.text, 1, 10000));
    INSERT INTO message_words (rowid, scope, text) VALUES (new.id, new.scope, substr(new.text, 1, 10000));
    INSERT INTO message_pieces (rowid, scope, text) VALUES (new.id, new.scope, substr(new.text, 1, 10000));
END;
