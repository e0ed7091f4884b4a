"""What is stored of a message is all of it."""

from adapters.base import Address, Attachment, ChatKind, Inbound, MediaKind, Observed, Sender
from gateway import events

MESSAGE = Inbound(
    event_id="5",
    address=Address("discord", "1", ChatKind.GROUP, thread_id="2", reply_to="5"),
    sender=Sender("7", "Ada", roles=("100", "200")),
    text="what is this?",
    attachments=(Attachment(MediaKind.IMAGE, "ref", "cat.png", "image/png", 12),),
    context=(Observed(Sender("8", "Bob", roles=("100",)), "look"),),
    command={"type": "command", "name": "undo", "args": {"n": 2}},
)


def test_a_message_comes_back_as_it_was() -> None:
    assert events.from_json(events.to_json(MESSAGE)) == MESSAGE


def test_a_message_that_was_stored_before_there_were_roles_can_be_read() -> None:
    written = events.to_json(MESSAGE).replace(',"roles":["100","200"]', "")
    assert events.from_json(written).sender == Sender("7", "Ada")
