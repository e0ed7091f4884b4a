"""The log of a real gateway: every line of a turn can be found by its ids."""

import json
import signal
from pathlib import Path

from tests.end_to_end.process import running
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.telegram.faults import server_error


async def test_every_line_of_a_turn_has_its_ids_and_none_has_a_secret(
    tmp_path: Path, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\n"
        f"model:\n  provider: openai\n  name: m\n  base_url: {model.base_url}\n"
        f"  api_key: {KEY}\n  tries: 2\n"
        "logging:\n  format: json\n  level: debug\n  file: hermes.log\n"
    )
    model.enqueue(status=500, body={"error": {"message": f"{KEY} is a fine key"}})
    model.enqueue(text="hello")
    telegram.fail("sendMessage", server_error())
    async with running("run", cwd=tmp_path) as gateway:
        telegram.people.say(ada, "hi")
        await telegram.wait_for(lambda: telegram.replies(ada))
        gateway.send_signal(signal.SIGTERM)
        _, err = await gateway.communicate()
    on_stderr = err.decode().splitlines()
    lines = [json.loads(line) for line in on_stderr]
    events = [line["event"] for line in lines]
    of_turn = lines[events.index("turn begins") : events.index("turn ends") + 1]
    # The signal may come before the turn's last line, and belongs to no turn.
    of_turn = [line for line in of_turn if line["event"] != "stopping"]
    assert {"a try of a model call failed", "step failed"} <= {line["event"] for line in of_turn}
    assert {(line.get("chat"), line.get("turn")) for line in of_turn} == {
        (f"telegram:dm:{ada.id}", of_turn[0]["turn"])
    }
    in_file = (tmp_path / "data" / "hermes.log").read_text().splitlines()
    assert in_file == on_stderr
    for secret in (telegram.token, KEY):
        assert secret not in "\n".join(in_file)
