"""`hermes-gateway agent`: one agent without a gateway, at both levels, native and in Wasm."""

import signal
from pathlib import Path

import pytest

from tests.end_to_end.process import finished, start
from tests.fakes.model_server import KEY, ModelServer

BACKENDS = pytest.mark.parametrize("backend", [["--dev"], []], ids=["native", "wasm"])
LEVELS = pytest.mark.parametrize("level", ["1", "2"])


@BACKENDS
@LEVELS
async def test_one_message_gets_one_answer(
    tmp_path: Path, model: ModelServer, backend: list[str], level: str
) -> None:
    model.enqueue(text="four")
    run = await finished(
        *("agent", "-m", "two and two?", "--model", "m", "--level", level, *backend),
        *("--base-url", model.base_url),
        cwd=tmp_path,
        OPENAI_API_KEY=KEY,
    )
    assert (run.code, run.stdout) == (0, "four\n")
    assert model.requests[0].body["messages"][-1]["content"] == "two and two?"
    assert KEY not in str(model.requests[0].body)


@LEVELS
async def test_what_is_noted_ends_up_in_files_and_comes_back(
    tmp_path: Path, model: ModelServer, level: str
) -> None:
    common = ("--dev", "--model", "m", "--level", level, "--base-url", model.base_url)
    note = {"action": "add", "target": "user", "content": "The user likes tea."}
    model.enqueue(tool_calls=[("memory", note)])
    model.enqueue(text="noted")
    first = await finished("agent", "-m", "I like tea", *common, cwd=tmp_path, OPENAI_API_KEY=KEY)
    assert first.code == 0
    assert (tmp_path / "USER.md").read_text() == "The user likes tea."
    model.enqueue(text="tea")
    await finished("agent", "-m", "what do I like?", *common, cwd=tmp_path, OPENAI_API_KEY=KEY)
    assert "The user likes tea." in model.requests[-1].body["messages"][0]["content"]


async def test_a_conversation_remembers_and_a_question_is_put(tmp_path: Path) -> None:
    lines = "ask me a question\n2\nhello\nquit\n"
    run = await finished("agent", "--dev", cwd=tmp_path, stdin=lines)
    assert run.code == 0
    assert "2) Summer" in run.stdout
    assert "You said **Summer**" in run.stdout
    assert run.stdout.count("You said") == 1
    assert "Hello!" in run.stdout


@LEVELS
async def test_a_failed_model_call_is_said_once_and_is_no_success(
    tmp_path: Path, model: ModelServer, level: str
) -> None:
    model.enqueue(status=401, body={"error": {"message": "bad key"}})
    run = await finished(
        *("agent", "--dev", "-m", "hello", "--model", "m", "--level", level),
        *("--base-url", model.base_url),
        cwd=tmp_path,
        OPENAI_API_KEY=KEY,
    )
    assert run.stdout.strip()
    assert len(run.stdout.strip().splitlines()) == 1
    assert KEY not in run.stdout + run.stderr
    if level == "2":
        assert run.code == 1


async def test_ctrl_c_stops_the_answer(tmp_path: Path, model: ModelServer) -> None:
    drip = model.enqueue(text="never finished", gated=True)
    process = await start(
        *("agent", "--dev", "-m", "hello", "--model", "m", "--base-url", model.base_url),
        cwd=tmp_path,
        OPENAI_API_KEY=KEY,
    )
    await drip.started.wait()
    process.send_signal(signal.SIGINT)
    out, _ = await process.communicate()
    assert out.strip()
    await drip.disconnected.wait()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--wasm", "nowhere.wasm"], 1, "There is no agent at nowhere.wasm."),
        (["--dev", "--wasm", "x.wasm"], 2, "exclude each other"),
        (["--level", "3"], 2, "--level"),
        (["--dev", "--model", "m", "--base-url", "not an address"], 1, "base_url"),
    ],
)
async def test_a_wrong_command_line_is_answered_in_a_sentence(
    tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    run = await finished("agent", "-m", "hi", *arguments, cwd=tmp_path)
    assert run.code == code
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr


async def test_a_file_that_is_no_agent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.wasm").write_bytes(b"not wasm")
    run = await finished("agent", "-m", "hi", "--wasm", "bad.wasm", cwd=tmp_path)
    assert run.code == 1
    assert "bad.wasm" in run.stderr
    assert "Traceback" not in run.stderr
