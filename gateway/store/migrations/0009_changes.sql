-- What happens after a message was sent: reactions to answers, changes of messages, chats that move.

ALTER TABLE outbound ADD COLUMN said TEXT; -- how the reply begins, once it is final
CREATE INDEX outbound_by_message ON outbound (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX lives_by_chat ON lives (chat, begun_at);

CREATE TABLE chat_moves ( -- chats that have got another id
    platform TEXT NOT NULL,
    chat_id TEXT NOT NULL, -- the present one
    former_id TEXT NOT NULL,
    moved_at TEXT NOT NULL,
    PRIMARY KEY (platform, chat_id, former_id)
) STRICT, WITHOUT ROWID;
