"""What every turn works with; made once, by the composition root.

The settings, and what is made of them, are exchanged when they are read again: whoever needs one
looks here at the time.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from adapters.base import Adapter, Inbound, PersonalEvent
from config.settings import Settings
from gateway.access.roles import Standing
from gateway.chats.outgoing import OutgoingFiles
from gateway.chats.questions import Questions
from gateway.delivery.reply import DeliverySettings
from gateway.llm.models import Models
from gateway.media.intake import Intake
from gateway.metrics import Metrics
from gateway.reset import Policy
from gateway.runtime.pool import AgentPool
from gateway.skills.library import Skills
from gateway.store.approvals import ApprovalStore
from gateway.store.base import Store
from gateway.store.inbound import InboundStore
from gateway.store.journal import JournalStore
from gateway.store.search import SearchStore
from gateway.store.sessions import SessionStore
from gateway.tools.toolbox import Toolbox
from gateway.workspace.workspace import Workspaces

Clock = Callable[[], datetime]
"""The present time, aware, in the time zone that people here live in."""


def local_time() -> datetime:
    """The machine's own clock and time zone."""
    return datetime.now(UTC).astimezone()


async def _nobody_is_told(_platform: str, _markdown: str) -> None:
    """There are no owners to be told anything."""


async def _nobody_minds(_message: Inbound) -> None:
    """Nothing is to be done about a chat that is gone."""


async def none_run(_chat: str) -> None:
    """No tool leaves programs running."""


@dataclass(slots=True)
class Host:
    """The parts that turns are made of."""

    settings: Settings
    store: Store
    sessions: SessionStore
    search: SearchStore
    journal: JournalStore
    inbound: InboundStore
    pool: AgentPool
    models: Models
    adapters: Mapping[str, Adapter]
    questions: Questions
    toolbox: Toolbox
    workspaces: Workspaces
    intake: Intake
    approvals: ApprovalStore
    outgoing: OutgoingFiles
    skills: Skills
    delivery: DeliverySettings
    # What whoever did something may do, at this moment.
    standing: Callable[[PersonalEvent], Awaitable[Standing]]
    clock: Clock = local_time
    end_programs: Callable[[str], Awaitable[None]] = none_run  # of a chat, in its background
    reset_policy: Policy | None = None
    metrics: Metrics = field(default_factory=Metrics)
    tell_owners: Callable[[str, str], Awaitable[None]] = _nobody_is_told  # platform, Markdown
    chat_gone: Callable[[Inbound], Awaitable[None]] = _nobody_minds  # its answer had nowhere to go

    def apply(self, settings: Settings, reset_policy: Policy | None) -> None:
        """Go by other settings from now on."""
        self.settings = settings
        self.reset_policy = reset_policy
        self.delivery = replace(
            self.delivery,
            is_streaming=settings.chats.streaming,
            first_edit_chars=settings.chats.first_edit_chars,
        )
