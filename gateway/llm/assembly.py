"""Puts a streamed chat completion together. Sans-IO: chunks in, text for the person and, at the
end, one `ChatCompletion` out.

It takes the dialects that "OpenAI-compatible" servers speak. What a tool call is made of is
decided in `tool_calls.py`, what of the text a person sees in `think.py`.
"""

from collections.abc import Mapping
from typing import Any

from gateway.llm import failures
from gateway.llm.failures import CUT, EMPTY
from gateway.llm.provider import ChatCompletion
from gateway.llm.think import ThinkFilter
from gateway.llm.tool_calls import ToolCalls

FAILED = "The model server failed in the middle of its answer."

HEAD_FIELDS = ("id", "created", "model", "system_fingerprint", "service_tier", "provider")
REASONING_FIELDS = ("reasoning_content", "reasoning")


class Assembler:
    """One answer being received."""

    def __init__(self, secret: str = "") -> None:
        self._secret = secret  # the key: never to be found in an error's detail
        self._head: dict[str, Any] = {}
        self._role = "assistant"
        self._content: list[str] = []
        self._refusal: list[str] = []
        self._reasoning: dict[str, list[str]] = {name: [] for name in REASONING_FIELDS}
        self._reasoning_details: list[Any] = []
        self._tool_calls = ToolCalls()
        self._usage: dict[str, Any] | None = None
        self._finish_reason: str | None = None
        self._choice_index: object = None  # of the only choice that is read
        self._has_choice = False
        self._is_done = False
        self._thoughts = ThinkFilter()

    @property
    def is_finished(self) -> bool:
        """The model said why it stopped, or the server that this is all."""
        return self._is_done or self._finish_reason is not None

    @property
    def is_done(self) -> bool:
        """The server said that this is all."""
        return self._is_done

    @property
    def is_begun(self) -> bool:
        """Something of an answer has come."""
        return self._has_choice

    def feed(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk, or a whole completion; returns the text that it adds for the person.

        Raises `ModelError` if the chunk is an error object.
        """
        if chunk.get("error"):
            raise failures.object_error(chunk["error"], self._secret)
        for name in HEAD_FIELDS:
            if chunk.get(name) and not self._head.get(name):
                self._head[name] = chunk[name]
        choices = chunk.get("choices")
        text = ""
        choice: Mapping[str, Any] = {}
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            choice = choices[0]
            text = self._feed_choice(choice)
        self._usage = _usage(chunk, choice) or self._usage
        return text

    def mark_done(self) -> None:
        """The server said that this is all: by `[DONE]`, or because it was no stream."""
        self._is_done = True

    def finish(self) -> tuple[str, ChatCompletion]:
        """The answer has ended: the text for the person that was still held back, and all of it.

        Raises `ModelError` (bad_response) if it broke off, or if there is nothing in it.
        """
        if not self._has_choice:
            raise failures.unusable(EMPTY if self._is_done or not self._head else CUT)
        if not self.is_finished:
            raise failures.unusable(CUT, f"{len(''.join(self._content))} characters came")
        if self._finish_reason == "error":
            raise failures.unusable(FAILED, "finish_reason: error")
        return self._thoughts.flush(), self._completion()

    def _feed_choice(self, choice: Mapping[str, Any]) -> str:
        if not self._has_choice:
            self._choice_index = choice.get("index")
        elif choice.get("index") != self._choice_index and None not in (
            choice.get("index"),
            self._choice_index,
        ):
            return ""  # a second answer that nobody asked for
        self._has_choice = True
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self._finish_reason = reason
        delta = choice.get("delta")
        if not isinstance(delta, dict) or not delta:
            # A whole message: an answer that is no stream, or a last chunk that says all again.
            delta = choice.get("message")
            if not isinstance(delta, dict) or self._has_substance():
                return ""
        return self._feed_delta(delta)

    def _feed_delta(self, delta: Mapping[str, Any]) -> str:
        if isinstance(role := delta.get("role"), str) and role:
            self._role = role
        for name in REASONING_FIELDS:
            if isinstance(piece := delta.get(name), str):
                self._reasoning[name].append(piece)
        if isinstance(details := delta.get("reasoning_details"), list):
            self._reasoning_details.extend(details)
        self._tool_calls.feed(delta.get("tool_calls"))
        content = self._text(delta.get("content"))
        if content:
            self._content.append(content)
        if isinstance(refusal := delta.get("refusal"), str) and refusal:
            self._refusal.append(refusal)
            content += refusal
        return self._thoughts.feed(content) if content else ""

    def _text(self, content: object) -> str:
        """Content is a string; Mistral's thinking models send a list of parts."""
        if isinstance(content, str):
            return content
        texts: list[str] = []
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict):
                continue
            if isinstance(text := part.get("text"), str):
                texts.append(text)
            elif isinstance(thinking := part.get("thinking"), list):
                self._reasoning["reasoning_content"] += [
                    inner["text"]
                    for inner in thinking
                    if isinstance(inner, dict) and isinstance(inner.get("text"), str)
                ]
        return "".join(texts)

    def _has_substance(self) -> bool:
        return bool(self._content or self._refusal or self._tool_calls)

    def _completion(self) -> ChatCompletion:
        # A refusal is the model's answer, only under another name.
        content = "".join(self._content) or "".join(self._refusal)
        tool_calls = self._tool_calls.finish()
        message: dict[str, Any] = {"role": self._role, "content": content or None}
        for name, pieces in self._reasoning.items():
            if any(pieces):
                message[name] = "".join(pieces)
        if self._reasoning_details:
            message["reasoning_details"] = self._reasoning_details
        if tool_calls:
            message["tool_calls"] = tool_calls
        reason = self._finish_reason or ("tool_calls" if tool_calls else "stop")
        completion: ChatCompletion = {
            **self._head,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        }
        if self._usage is not None:
            completion["usage"] = self._usage
        return completion


def _usage(chunk: Mapping[str, Any], choice: Mapping[str, Any]) -> dict[str, Any] | None:
    """The counts of a chunk: mostly at its top, Moonshot's in the choice, Groq's in `x_groq`."""
    groq = chunk.get("x_groq")
    for holder in (chunk, choice, groq if isinstance(groq, dict) else {}):
        usage = holder.get("usage")
        if isinstance(usage, dict) and usage:
            return usage
    return None
