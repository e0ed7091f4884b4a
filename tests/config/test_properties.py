"""Whatever is dumped loads back the same, and whatever is damaged is refused in words."""

import math
from pathlib import Path

import hypothesis
from hypothesis import given
from hypothesis import strategies as st
from pydantic import HttpUrl, SecretStr

from config import ConfigError, Settings, dump
from config.environment import Environment, Origin
from config.kinds import Kind, fields_of
from config.loading import build
from config.mcp import McpServerSettings
from config.models import ModelSettings
from config.section import HiddenText, Section

FOLDER = Path("/srv/hermes")

texts = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)
words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9.-]{0,20}", fullmatch=True)
# Bounds that every number and every whole number of the settings agrees with, or nearly so: a value
# out of range is left to `test_mistakes`.
SCALARS: dict[str, st.SearchStrategy[object]] = {
    "text": texts,
    "secret": words.map(SecretStr),
    "hidden": texts.map(str.strip).filter(str.isprintable).map(HiddenText),
    "flag": st.booleans(),
    "whole": st.integers(min_value=1, max_value=10**9),
    "number": st.floats(min_value=1e-9, max_value=1e9),
    "address": st.sampled_from(
        ["http://127.0.0.1:8080/v1", "https://example.org/a?b=${c}#d", "http://[::1]/"]
    ).map(HttpUrl),
    "folder": st.sampled_from(["/var/lib/x", "a b", "on", "1", "${x}", "ä/~", "[x]", "# x"]).map(
        Path
    ),
}


def values(kind: Kind) -> st.SearchStrategy[object]:
    """All that one setting may be."""
    found: st.SearchStrategy[object]
    if kind.section is not None:
        found = sections(kind.section)
    elif kind.of is not None:
        found = st.dictionaries(names, values(kind.of), max_size=2)
    elif kind.item is not None:
        found = st.lists(values(kind.item), max_size=3).map(tuple)
    elif kind.choices:
        found = st.sampled_from(kind.choices)
    else:
        found = SCALARS[kind.name]
    return found | st.none() if kind.is_optional else found


def sections(section: type[Section]) -> st.SearchStrategy[Section]:
    """All that a group of settings may be."""

    def build_valid(given: dict[str, object]) -> Section:
        fitting: dict[str, object] = {}
        for name, value in given.items():
            try:
                section.__pydantic_validator__.validate_assignment(
                    section.model_construct(), name, value
                )
            except ValueError:
                continue  # out of this setting's range: keep the default
            fitting[name] = value
        return section(**fitting)

    return st.fixed_dictionaries({n: values(k) for n, k in fields_of(section).items()}).map(
        build_valid
    )


def with_what_it_needs(settings: Section) -> Settings:
    """The settings with a name of its own for each model, and no provider that lacks its key."""
    assert isinstance(settings, Settings)

    def complete(model: ModelSettings, number: int) -> ModelSettings:
        provider = model.provider if model.api_key else "demo"
        return model.model_copy(update={"provider": provider, "alias": f"alias {number}"})

    def all_complete(models: tuple[ModelSettings, ...], first: int) -> tuple[ModelSettings, ...]:
        return tuple(complete(model, number) for number, model in enumerate(models, first))

    def sound(server: McpServerSettings) -> McpServerSettings:
        other: dict[str, object] = (
            {"url": None, "headers": {}} if server.command else {"args": (), "env": {}}
        )
        url = server.url or HttpUrl("https://example.org/mcp")
        return server.model_copy(update=other if server.command else {**other, "url": url})

    return settings.model_copy(
        update={
            "model": complete(settings.model, 0),
            "fallbacks": all_complete(settings.fallbacks, 10),
            "models": all_complete(settings.models, 20),
            "mcp": settings.mcp.model_copy(
                update={"servers": {n: sound(s) for n, s in settings.mcp.servers.items()}}
            ),
            "compress_model": settings.compress_model and complete(settings.compress_model, 0),
        }
    )


def variables(**values: str) -> Environment:
    origins = {name: Origin("environment", None, FOLDER) for name in values}
    return Environment(values, origins)


all_settings = sections(Settings).map(with_what_it_needs)
few = hypothesis.settings(deadline=None, max_examples=40)  # each has hundreds of values


@few
@given(all_settings)
def test_any_settings_that_are_dumped_load_back_the_same(settings: Section) -> None:
    assert isinstance(settings, Settings)
    text = dump(settings, reveal_secrets=True)
    again = build(text, file="hermes.yaml", folder=FOLDER, variables=variables())
    assert again == settings.model_copy(update={"data_dir": FOLDER / settings.data_dir})


@given(texts)
def test_any_text_survives_the_way_through_yaml_and_variables(text: str) -> None:
    yaml = dump(Settings.model_validate({"agent": {"identity": text}}))
    again = build(yaml, file="hermes.yaml", folder=FOLDER, variables=variables())
    assert again.agent.identity == text
    given = build("agent: {identity: '${X}'}", file="f", folder=FOLDER, variables=variables(X=text))
    assert given.agent.identity == text


mutations = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=3000),
        st.integers(min_value=0, max_value=12),
        st.text(
            st.sampled_from("\t\n :-#'\"[]{}&*!|>%@`,?$~<\\.0aé\ufeff\x00\x85\u2028\ud800"),
            max_size=6,
        ),
    ),
    min_size=1,
    max_size=6,
)


def outcome(text: str) -> Settings | ConfigError:
    try:
        return build(text, file="hermes.yaml", folder=FOLDER, variables=variables())
    except ConfigError as error:
        return error


def is_settings_or_words(outcome: Settings | ConfigError) -> bool:
    if isinstance(outcome, Settings):
        return True
    return all(problem.text.endswith((".", "?")) for problem in outcome.problems) and bool(
        outcome.problems
    )


@few
@given(all_settings, mutations)
def test_any_damage_is_either_harmless_or_refused_in_words(
    settings: Section, damage: list[tuple[int, int, str]]
) -> None:
    assert isinstance(settings, Settings)
    text = dump(settings, reveal_secrets=True)
    for place, length, insert in damage:
        at = place % (len(text) + 1)
        text = text[:at] + insert + text[at + length :]
    assert is_settings_or_words(outcome(text))


@given(st.text(st.sampled_from("ab: \n-{}[]&*!?|<>'\",#%$~1."), max_size=60))
def test_any_small_text_is_either_settings_or_refused_in_words(text: str) -> None:
    assert is_settings_or_words(outcome(text))


@given(st.floats(min_value=0.001, max_value=1e300))
def test_any_number_is_read_as_it_was_written(number: float) -> None:
    text = f"chats: {{clarify_timeout_s: {number!r}}}"
    again = build(text, file="f", folder=FOLDER, variables=variables())
    assert math.isclose(again.chats.clarify_timeout_s, number, rel_tol=0)
