"""A real agent's turn over the Messages API: what the API wants back survives the agent."""

from collections.abc import Callable
from typing import Any

from agent_core import Agent
from gateway.llm.anthropic import AnthropicProvider
from tests.fakes.messages import MessagesServer

Json = dict[str, Any]

INIT: Json = {
    "type": "init",
    "protocol": 2,
    "config": {"protocol": 2, "session_id": "s", "model": "fake-model", "max_iterations": 5},
    "memory": "",
    "user": "",
    "skills": [],
    "history": [],
    "todos": [],
}


async def play(agent: Agent, provider: AnthropicProvider, text: str) -> list[Json]:
    """A turn to its end: all that the agent said in it."""
    said = agent.receive({"type": "user_message", "content": text, "message_id": text})
    for message in said:  # it grows while it is read
        if message["type"] == "api_request":
            response = await provider.complete(message["kwargs"], lambda _: None)
            answer = {"type": "api_response", "response": response}
            said += agent.receive(answer | {"request_id": message["request_id"]})
    return said


async def test_thinking_goes_back_with_the_results_of_the_tools_that_it_led_to(
    messages_server: MessagesServer, claude: Callable[..., AnthropicProvider]
) -> None:
    provider = claude(thinking_tokens=2_000)
    agent = Agent()
    agent.receive(INIT)
    todos = {"todos": [{"id": "1", "content": "buy milk", "status": "pending"}]}
    messages_server.enqueue("I note it.", thinking="A list, then.", tool_calls=[("todo", todos)])
    messages_server.enqueue(tool_calls=[("todo", {}), ("memory", {"action": "read"})])
    messages_server.enqueue("Noted.", thinking="All done.")
    said = await play(agent, provider, "Remind me of the milk.")
    [final] = [m for m in said if m["type"] == "assistant_message" and m["final"]]
    assert final["content"] == "Noted."
    sent = messages_server.requests[-1]["messages"]
    assert [(m["role"], [block["type"] for block in m["content"]]) for m in sent] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
    ]
    assert all("thinking" in body for body in messages_server.requests)


async def test_a_history_that_is_read_from_the_store_is_taken_again(
    messages_server: MessagesServer, claude: Callable[..., AnthropicProvider]
) -> None:
    provider = claude(thinking_tokens=2_000)
    agent = Agent()
    agent.receive(INIT)
    messages_server.enqueue(thinking="Look first.", tool_calls=[("todo", {})])
    messages_server.enqueue("Nothing to do.")
    said = await play(agent, provider, "What is on my list?")
    history = [m for line in said if line["type"] == "history" for m in line["messages"]]
    woken = Agent()
    woken.receive(INIT | {"history": history})
    messages_server.enqueue("Still nothing.")
    await play(woken, provider, "And now?")
    before, now = messages_server.requests[-2:]
    assert [m["role"] for m in now["messages"]] == ["user", "assistant"] * 2 + ["user"]
    assert len(before["messages"]) == 3
    assert now["messages"][1]["content"][0]["thinking"] == "Look first."
