-- A part of a reply can be several of the platform's messages: an album.

CREATE TABLE outbound_messages (
    turn_id TEXT NOT NULL,
    reply TEXT NOT NULL,
    position INTEGER NOT NULL,
    number INTEGER NOT NULL, -- their order within the part
    message_id TEXT NOT NULL, -- the platform's
    PRIMARY KEY (turn_id, reply, position, number),
    FOREIGN KEY (turn_id, reply, position) REFERENCES outbound ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO outbound_messages (turn_id, reply, position, number, message_id)
SELECT turn_id, reply, position, 0, message_id FROM outbound WHERE message_id IS NOT NULL;

CREATE INDEX outbound_messages_by_id ON outbound_messages (message_id);
DROP INDEX outbound_by_message;
ALTER TABLE outbound DROP COLUMN message_id;
