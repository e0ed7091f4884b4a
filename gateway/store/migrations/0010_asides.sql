-- What nobody said to the bot and is told to it with the next message of a chat.

CREATE TABLE asides (
    number INTEGER PRIMARY KEY, -- the order of their coming
    chat TEXT NOT NULL, -- the session key
    kind TEXT NOT NULL, -- overheard, done
    person TEXT NOT NULL, -- whose words or doing it is: platform:id
    name TEXT NOT NULL, -- what they are called
    said TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    told_with INTEGER -- the number of the inbound event that it goes with, if it does
) STRICT;

CREATE INDEX asides_by_chat ON asides (chat, number);
CREATE INDEX asides_by_person ON asides (person);
CREATE INDEX asides_by_age ON asides (noted_at);
