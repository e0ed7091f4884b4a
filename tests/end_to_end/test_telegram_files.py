"""Files on Telegram, the whole way: written by a tool, spoken of in an answer, uploaded."""

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person


def shown(telegram: FakeTelegram, person: Person) -> list[str]:
    """The texts of the bot's messages, and the names of its documents."""
    return [
        message.content["document"]["file_name"] if "document" in message.content else message.text
        for message in telegram.replies(person)
    ]


@pytest.mark.usefixtures("gateway")
async def test_a_file_that_a_tool_wrote_is_sent_behind_the_answer(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(tool_calls=[("write_file", {"path": "notes/plan.txt", "content": "the plan"})])
    model.enqueue(text="Here is what I have written down:\n\n![The plan](notes/plan.txt)")
    telegram.people.say(ada, "write down the plan")
    await telegram.wait_for(
        lambda: shown(telegram, ada) == ["Here is what I have written down:", "plan.txt"]
    )
    document = telegram.replies(ada)[-1]
    assert document.text == "The plan"
    assert document.content["document"]["file_size"] == len("the plan")
    assert document.labels == []


@pytest.mark.usefixtures("gateway")
async def test_a_tool_sends_a_file_and_what_may_not_be_sent_is_a_sentence(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(tool_calls=[("write_file", {"path": "plan.txt", "content": "the plan"})])
    model.enqueue(tool_calls=[("send_file", {"path": "plan.txt"})])
    model.enqueue(text="Sent.\n\nMEDIA:/etc/passwd")
    telegram.people.say(ada, "send me the plan")
    refused = "Sent.\n\nI could not send a file: passwd is in none of the folders"
    await telegram.wait_for(lambda: last(telegram, ada, refused))
    assert len(shown(telegram, ada)) == 2
    assert shown(telegram, ada)[0] == "plan.txt"


def last(telegram: FakeTelegram, person: Person, beginning: str) -> bool:
    """Whether the last message begins like this."""
    return "".join(shown(telegram, person)[-1:]).startswith(beginning)
