-- Messages that were said into a running turn: kept until it is known that the turn has taken them.

CREATE INDEX inbound_steering ON inbound (chat, number) WHERE state = 'steering';
