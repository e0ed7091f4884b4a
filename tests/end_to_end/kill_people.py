"""The people of the kill test, each with a habit of their own, and what they must see in the end.

All of them give tasks. A task that is owed has its sentence on the screen as often as its person
asked for it, or a notice in its place, since an answer whose sending was cut off is never sent
again unasked.
"""

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.telegram.rendering import CURSOR
from gateway.chats.apologies import LATER
from gateway.chats.busy import MERGED
from gateway.chats.lost_replies import NOTICE
from tests.end_to_end.kill_model import Json, album_of, answer_to, tasks_in, text_of
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.world import Message

CHANGED_BY = 100_000
"""Between the number of a task and of the one that it was changed into."""

UNDONE = "Undone: your last message and its answer."
_SAID_ASIDE = (NOTICE, LATER, MERGED.strip("*"), "(stopped)", "Stopped.")


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored of a chat in the end."""

    history: Sequence[Json]
    asides: Sequence[str]  # what its next message will be told
    answers: frozenset[str]  # the ids of messages that are known to be answers

    def told(self) -> str:
        """All that an agent was told beside messages, or will be."""
        lines = [line for message in self.history for line in text_of(message).splitlines()]
        return "\n".join([*(line for line in lines if line.startswith("> ")), *self.asides])


class Talker:
    """Somebody who gives one task after the other."""

    def __init__(self, telegram: FakeTelegram, person: Person, chance: random.Random) -> None:
        self.person = person
        self.tasks: list[int] = []
        self.owed: Counter[str] = Counter()  # sentence → how often it has to be seen
        self._telegram = telegram
        self._chance = chance

    def give(self, task: int) -> None:
        """Ask for a task, in one's own way."""
        self.tasks.append(task)
        self.owed[answer_to(task)] += 1
        self._ask(task)

    def _ask(self, task: int) -> None:
        self._telegram.people.say(self.person, f"Please do task {task}")

    def happened(self, _kept: Kept) -> Counter[str]:
        """What one's habit has led to: all of it has to be seen to have been tested."""
        return Counter()

    def runs_allowed(self, _task: int) -> int:
        """How often the tools of a task may have run."""
        return 1

    @property
    def unanswered(self) -> int:
        """How much is owed that is neither there nor stood for by a notice."""
        return sum(self._missing().values()) - self._texts()[NOTICE]

    def _missing(self) -> Counter[str]:
        seen = self._seen()
        return Counter({one: times - seen[one] for one, times in self.owed.items()}) + Counter()

    def _texts(self) -> Counter[str]:
        replies = self._telegram.replies(self.person)
        return Counter(one.text for one in replies if "document" not in one.content)

    def _seen(self) -> Counter[str]:
        """Each sentence of the answers, and how often it is there."""
        whole = [text for text in self._texts().elements() if not text.endswith(CURSOR)]
        return Counter({one: sum(text.count(one) for text in whole) for one in self._sentences()})

    def _sentences(self) -> list[str]:
        return list(self.owed)

    # What must be true in the end

    def leftovers(self) -> list[str]:
        """Texts that are no whole answer, and nothing else that may be said."""
        return [text for text in self._texts().elements() if self._rest(text)]

    def _rest(self, text: str) -> str:
        for one in (*self._sentences(), *_SAID_ASIDE):
            text = text.replace(one, "")
        return text.strip()

    def faults(self, kept: Kept) -> Iterator[str]:
        """What is wrong with the screen, and with what is stored of the chat."""
        for text in self.leftovers():
            rest = self._rest(text).rstrip(CURSOR).strip()
            if not any(one.startswith(rest) for one in self._sentences()):
                yield f"something else was said: {text[:200]}"
        for one, times in self._too_often().items():
            yield f"said {times} times too often: {one}"
        missing, notices = self._not_said(kept), self._texts()[NOTICE]
        if len(missing) > notices:
            yield f"not said, and there are {notices} notices: {missing}"
        given = [tasks_in(message) for message in kept.history if message["role"] == "user"]
        yield from self._faults_of(given)

    def _too_often(self) -> Counter[str]:
        return self._seen() - self.owed

    def _not_said(self, _kept: Kept) -> list[str]:
        return sorted(self._missing().elements())

    def _faults_of(self, given: Sequence[list[int]]) -> Iterator[str]:
        """What is wrong with the history, of whose messages each gives these tasks."""
        if given != [[task] for task in self.tasks]:
            yield f"the history has {given}, not {self.tasks}"


class Sender(Talker):
    """Sends a file with every other task, and gets an album with each answer."""

    def __init__(self, telegram: FakeTelegram, person: Person, chance: random.Random) -> None:
        super().__init__(telegram, person, chance)
        self.files: list[str] = []

    def _ask(self, task: int) -> None:
        if self._chance.random() < 0.5:
            super()._ask(task)
            return
        name, content = f"notes-{task}.txt", f"notes on {task}".encode()
        self.files.append(name)
        document = media.document(self._telegram.files, content, name=name)
        self._telegram.people.send(self.person, document, f"Please do task {task}")

    def happened(self, _kept: Kept) -> Counter[str]:
        """Files in, and albums out."""
        albums = {one for places in self._albums().values() for one in places}
        return Counter(files=len(self.files), albums=len(albums))

    def _albums(self) -> dict[str, list[str]]:
        """In which albums each file has come."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for message in self._telegram.replies(self.person):
            if "document" in message.content:
                name = message.content["document"]["file_name"]
                found[name].append(str(message.content.get("media_group_id")))
        return found

    def _missing(self) -> Counter[str]:
        """An answer without its album is missing, too: one notice stands for both."""
        missing, albums = super()._missing(), self._albums()
        for task in self.tasks:
            if not all(albums.get(name) for name in album_of(task)):
                missing[answer_to(task)] = 1
        return missing

    def faults(self, kept: Kept) -> Iterator[str]:
        """Every file was fetched, and the agent was told where it is; every album is whole."""
        yield from super().faults(kept)
        albums = self._albums()
        for task in self.tasks:
            places = [albums.get(name, []) for name in album_of(task)]
            if any(len(one) > 1 for one in places) or any(one != places[0] for one in places):
                yield f"the album of {task} came twice, or half of it: {places}"
        told = "\n".join(text_of(message) for message in kept.history)
        for name in self.files:
            if f"inbox/{name}" not in told:
                yield f"the agent was not told of {name}"


class Steerer(Talker):
    """Says most tasks into the answer that is being written, if there is one."""

    def _ask(self, task: int) -> None:
        how = "/steer " if self._chance.random() < 0.8 else ""
        self._telegram.people.say(self.person, f"{how}Please do task {task}")

    def happened(self, _kept: Kept) -> Counter[str]:
        """Tasks that became part of the answer to another."""
        return Counter(merged=sum(text.count("Task number") > 1 for text in self._texts()))

    def _faults_of(self, given: Sequence[list[int]]) -> Iterator[str]:
        if Counter(itertools.chain(*given)) != Counter(self.tasks):
            yield f"the history has {given}, not {self.tasks} in whatever messages"


class Editor(Talker):
    """Changes tasks at any time after they were given, and puts emoji under answers."""

    def __init__(self, telegram: FakeTelegram, person: Person, chance: random.Random) -> None:
        super().__init__(telegram, person, chance)
        self.reacted_to: dict[str, int] = {}  # the message, and the task that it answers
        self._changed: list[int] = []
        self._messages: list[tuple[int, Message]] = []  # not changed yet

    def _ask(self, task: int) -> None:
        if self._messages and self._chance.random() < 0.4:
            self._change(*self._messages.pop())
        if self._chance.random() < 0.5:
            self._react()
        said = self._telegram.people.say(self.person, f"Please do task {task}")
        self._messages = [(task, said)]

    def _change(self, task: int, message: Message) -> None:
        self._changed.append(task)
        del self.owed[answer_to(task)]
        self._telegram.people.rewrite(message, f"Please do task {task + CHANGED_BY}")

    def _react(self) -> None:
        """To an answer that was not the last: its turn is over, whatever happens."""
        for message in self._telegram.replies(self.person)[:-1]:
            for task in self.tasks:
                if message.text == answer_to(task) and str(message.id) not in self.reacted_to:
                    self.reacted_to[str(message.id)] = task
                    self._telegram.people.react(self.person, message, "👍")
                    return

    def _sentences(self) -> list[str]:
        after = (answer_to(task + CHANGED_BY) for task in self._changed)
        return [*map(answer_to, self.tasks), *after]

    @property
    def unanswered(self) -> int:
        """Of a task that was changed, one of the two."""
        seen = self._seen()
        open_ = sum(not self._is_seen(seen, task) for task in self._changed)
        return super().unanswered + open_

    def _is_seen(self, seen: Counter[str], task: int) -> bool:
        return bool(seen[answer_to(task)] or seen[answer_to(task + CHANGED_BY)])

    def faults(self, kept: Kept) -> Iterator[str]:
        """Every emoji was told once, or still is to be."""
        yield from super().faults(kept)
        told = kept.told()
        for message, task in self.reacted_to.items():
            times = told.count(f"put 👍 under your message “{answer_to(task)[:20]}")
            if times != 1 and message in kept.answers:
                yield f"the emoji under the answer to {task} was told {times} times"

    def happened(self, kept: Kept) -> Counter[str]:
        """Changes that were answered, and that were told; emoji that were."""
        seen, told = self._seen(), kept.told()
        answered = sum(bool(seen[answer_to(task + CHANGED_BY)]) for task in self._changed)
        return Counter(
            changed=answered, changed_later=told.count("(changed"), emoji=told.count("(put")
        )

    def _too_often(self) -> Counter[str]:
        return self._seen() - Counter(self._sentences())

    def _not_said(self, kept: Kept) -> list[str]:
        """Of a task that was changed what it is now, unless the agent was told of that."""
        seen, told = self._seen(), kept.told()
        lost = super()._not_said(kept)
        for task in self._changed:
            now = task + CHANGED_BY
            is_told = seen[answer_to(task)] and f"“Please do task {now}”" in told
            if not seen[answer_to(now)] and not is_told:
                lost.append(answer_to(now))
        return lost

    def _faults_of(self, given: Sequence[list[int]]) -> Iterator[str]:
        # Where the next turn had begun when the change was taken, it is a message of its own.
        first = [one for place, one in enumerate(given) if not self._is_late(given, place)]
        if [[task % CHANGED_BY for task in one] for one in first] != [[n] for n in self.tasks]:
            yield f"the history has {given}, not {self.tasks}, changed or not"

    @staticmethod
    def _is_late(given: Sequence[list[int]], place: int) -> bool:
        """Whether it is a change of a message that is there, and not the one right before."""
        before = [[task - CHANGED_BY] for task in given[place]]
        return any(one in given[: place - 1] for one in before)


class Undoer(Talker):
    """Takes back, or asks again, what was asked last, before or after that is answered."""

    def __init__(self, telegram: FakeTelegram, person: Person, chance: random.Random) -> None:
        super().__init__(telegram, person, chance)
        self._kept: list[int] = []  # what the history has in the end
        self._asked: Counter[int] = Counter()

    def _ask(self, task: int) -> None:
        super()._ask(task)
        self._kept.append(task)
        self._asked[task] += 1
        match self._chance.choice(("undo", "retry", "")):
            case "undo":
                self._telegram.people.say(self.person, "/undo")
                self._kept.pop()
                self.owed[UNDONE] += 1
            case "retry":
                self._telegram.people.say(self.person, "/retry")
                self._asked[task] += 1
                self.owed[answer_to(task)] += 1

    def happened(self, _kept: Kept) -> Counter[str]:
        """What was taken back, and what was asked again."""
        asked_again = self._asked.total() - len(self.tasks)
        return Counter(undone=self._texts()[UNDONE], asked_again=asked_again)

    def runs_allowed(self, task: int) -> int:
        """Once for each time that it was asked for."""
        return self._asked[task]

    def _faults_of(self, given: Sequence[list[int]]) -> Iterator[str]:
        if given != [[task] for task in self._kept]:
            yield f"the history has {given}, not {self._kept}"
