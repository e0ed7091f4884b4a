"""The clarify tool: a question to the person, with up to four choices. The host shows it."""

import json
from typing import Any

MAX_CHOICES = 4
_CHOICE_NAMES = ("label", "description", "text", "title", "value")

SCHEMA: dict[str, Any] = {
    "name": "clarify",
    "description": (
        "Ask the person one question when you can't go on without their decision. Give up to four "
        "choices if the answer is one of a few; they can always answer in their own words too. "
        "Don't ask for what you can find out or sensibly assume."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "choices": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_CHOICES},
        },
        "required": ["question"],
    },
}


def read_question(arguments: dict[str, Any]) -> tuple[str, list[str] | None]:
    """The question and its choices; an empty question means that there is none."""
    question = arguments.get("question")
    choices = arguments.get("choices")
    if not isinstance(choices, list):
        choices = []
    texts = [text for choice in choices if (text := _choice_text(choice))]
    distinct = list(dict.fromkeys(texts))[:MAX_CHOICES]
    return question.strip() if isinstance(question, str) else "", distinct or None


def answer_for_model(
    question: str, choices: list[str] | None, *, response: str, outcome: str
) -> str:
    """The tool's result: what the person said, or why they said nothing."""
    answer: dict[str, Any] = {"question": question, "choices_offered": choices}
    if outcome == "timeout":
        answer["user_response"] = None
        answer["note"] = "Nobody answered in time. Go on with what is sensible, and say so."
    elif outcome == "undeliverable":
        answer["user_response"] = None
        answer["note"] = "The question could not be shown to the person."
    else:
        answer["user_response"] = response
    return json.dumps(answer, ensure_ascii=False)


def _choice_text(choice: object) -> str:
    if isinstance(choice, dict):
        choice = next((choice[n] for n in _CHOICE_NAMES if choice.get(n)), "")
    return choice.strip() if isinstance(choice, str) else str(choice) if choice else ""
