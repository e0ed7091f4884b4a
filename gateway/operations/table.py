"""Every metric there is, as data: what is counted is made from this table, and so are the docs."""

from dataclasses import dataclass
from typing import Literal

# A step takes a millisecond, a model call many seconds.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. A counter's name ends in `_total`."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    text: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


INFO = Metric("hermes_info", "gauge", "Always 1; the version is a label.", ("version",))
TURNS = Metric(
    "hermes_turns_total",
    "counter",
    "Turns that ended, by how: answered, silent, interrupted, max_iterations, error (the model "
    "failed), failed (the gateway did).",
    ("outcome",),
)
TURN_SECONDS = Metric(
    "hermes_turn_seconds",
    "histogram",
    "From a message's arrival to the end of its turn.",
    (),
    SECONDS,
)
PHASE_SECONDS = Metric(
    "hermes_phase_seconds",
    "histogram",
    "Where the time of turns goes: queue, wake, step, first_token, model, delivery.",
    ("phase",),
    SECONDS,
)
MODEL_CALLS = Metric(
    "hermes_model_calls_total",
    "counter",
    "Model calls, retries not counted, by outcome: answered, cancelled, or the code of the error "
    "(auth, not_found, rate_limited, unavailable, timeout, context_overflow, bad_request, "
    "bad_response).",
    ("provider", "outcome"),
)
MODEL_TOKENS = Metric(
    "hermes_model_tokens_total",
    "counter",
    "Tokens, as the provider counts them if it does: input (cached ones included), cached, output.",
    ("provider", "model", "kind"),
)
MODEL_COST = Metric(
    "hermes_model_cost_total",
    "counter",
    "What calls cost by the prices in the settings; 0 where there are none.",
    ("provider", "model"),
)
TOOL_CALLS = Metric(
    "hermes_tool_calls_total",
    "counter",
    "Tool calls that the host was asked for, by how they ended: done, error (the model read why), "
    "cancelled.",
    ("tool", "outcome"),
)
TOOL_SECONDS = Metric(
    "hermes_tool_seconds",
    "histogram",
    "From the call to its result, waiting for a person's yes included.",
    ("tool",),
    SECONDS,
)
EVENTS = Metric(
    "hermes_events_total",
    "counter",
    "What came in, by what the gate said: taken, stranger, blocked; too_much in addition.",
    ("platform", "outcome"),
)
DELIVERIES = Metric(
    "hermes_deliveries_total",
    "counter",
    "Texts delivered, by outcome: shown, unknown (nobody knows whether it arrived), refused, "
    "unreached, gone.",
    ("platform", "outcome"),
)
LOOP_LAG = Metric(
    "hermes_event_loop_lag_seconds",
    "histogram",
    "How late the event loop came to a task that asked to run every half second.",
    (),
    LAG_SECONDS,
)
AGENTS = Metric("hermes_agents", "gauge", "Warm agents: idle or leased.", ("state",))
AGENT_WAITERS = Metric("hermes_agent_waiters", "gauge", "Turns that wait for an agent.")
AGENT_JOBS = Metric("hermes_agent_jobs", "gauge", "Steps, starts and closings that run on threads.")
AGENT_BYTES = Metric("hermes_agent_memory_bytes", "gauge", "Memory of all warm agents.")
AGENTS_STARTED = Metric("hermes_agents_started_total", "counter", "Agents started.")
AGENTS_HIBERNATED = Metric(
    "hermes_agents_hibernated_total", "counter", "Agents put to sleep to make room."
)
AGENTS_FAILED = Metric(
    "hermes_agents_failed_total", "counter", "Agents replaced because they broke or overran."
)
BUSY_CHATS = Metric("hermes_busy_chats", "gauge", "Chats that are being answered.")
WAITING_MESSAGES = Metric(
    "hermes_waiting_messages", "gauge", "Messages in the chats' inboxes, behind a running turn."
)
PLATFORM_SILENCE = Metric(
    "hermes_platform_silence_seconds",
    "gauge",
    "Since a platform was last heard from; missing before the first time.",
    ("platform",),
)

METRICS: tuple[Metric, ...] = (
    INFO,
    TURNS,
    TURN_SECONDS,
    PHASE_SECONDS,
    MODEL_CALLS,
    MODEL_TOKENS,
    MODEL_COST,
    TOOL_CALLS,
    TOOL_SECONDS,
    EVENTS,
    DELIVERIES,
    BUSY_CHATS,
    WAITING_MESSAGES,
    PLATFORM_SILENCE,
    AGENTS,
    AGENT_WAITERS,
    AGENT_JOBS,
    AGENT_BYTES,
    AGENTS_STARTED,
    AGENTS_HIBERNATED,
    AGENTS_FAILED,
    LOOP_LAG,
)


def markdown() -> str:
    """The table for the docs."""
    rows = ["| metric | type | labels | what it says |", "|---|---|---|---|"]
    for metric in METRICS:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        rows.append(f"| `{metric.name}` | {metric.kind} | {labels} | {metric.text} |")
    return "\n".join(rows)
