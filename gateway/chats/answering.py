"""An answer to a question that comes as speech, or with files: it answers once it is in words.

Until then its event waits in the store like a message, with the question's id in it, so that a
restart does not lose it.
"""

from adapters.base import Inbound
from gateway.chats import questions
from gateway.chats.host import Host
from gateway.chats.questions import Answer, Question, typed_answer
from gateway.media.errors import MediaError
from gateway.store.journal import EventSettled, QuestionAnswered


async def answer_in_words(host: Host, message: Inbound, question: Question) -> str | None:
    """Answer a question with what came; returns what to say if that can't be understood.

    The question stays open then. Raises `StoreError`.
    """
    platform, event_id = message.address.platform, message.event_id
    try:
        said = await host.intake.in_words(message, host.settings.media)
    except MediaError as error:
        await host.inbound.settle(platform, event_id, "done")
        return f"{error} I still wait for your answer."
    if question.answer.done():
        await host.inbound.settle(platform, event_id, "done")
        return "That came too late: the question is no longer open."
    answer = Answer(spoken_answer(question.choices, said))
    written = QuestionAnswered(question.id, questions.answer_to_json(answer))
    await host.journal.write([EventSettled(platform, event_id, "answer"), written])
    question.settle(answer)
    return None


def spoken_answer(choices: tuple[str, ...], said: str) -> str:
    """What was said: a choice, however a transcription ends it, or anything else."""
    meant = typed_answer(choices, said.strip().rstrip(".!?"))
    return meant if meant in choices else said
