"""The settings of models: which answers, what it costs, and how much may be used.

Part of `config.settings`, which says where these stand in the file.
"""

from typing import Annotated, Literal

from pydantic import Field, HttpUrl, NonNegativeFloat, PositiveFloat, PositiveInt

from config.section import Address, Secret, Section, Word


class PriceSettings(Section):
    """What a million tokens cost. Costs are only counted where this is set."""

    input: NonNegativeFloat = Field(default=0, description="What the model reads.")
    cached_input: NonNegativeFloat | None = Field(
        default=None,
        description="What it reads from the provider's cache. Unset: as much as the rest.",
    )
    cache_write: NonNegativeFloat | None = Field(
        default=None,
        description="What it reads and the provider puts into its cache (Anthropic). Unset: as "
        "much as the rest.",
    )
    output: NonNegativeFloat = Field(default=0, description="What it writes, thinking included.")


BASE_URLS = {
    "demo": HttpUrl("http://127.0.0.1"),  # is not called
    "openai": HttpUrl("https://api.openai.com/v1"),
    "anthropic": HttpUrl("https://api.anthropic.com"),
}


class ModelSettings(Section):
    """Which model answers."""

    provider: Literal["demo", "openai", "anthropic"] = Field(
        default="demo",
        description="`demo` needs no key and answers by a few fixed rules, to try things out. "
        "`openai` is any server with the OpenAI chat API: OpenAI itself, OpenRouter, Ollama, "
        "vLLM, llama.cpp and others. `anthropic` is the Messages API.",
    )
    name: Word = Field(default="demo", description="The model's name, as its server knows it.")
    alias: Word | None = Field(
        default=None, description="What people call it in /model. Unset: its name."
    )
    base_url: Address | None = Field(
        default=None,
        description="Where the API lives; for Ollama, for example, `http://127.0.0.1:11434/v1`. "
        "Unset: OpenAI's or Anthropic's own.",
    )
    api_key: Secret | None = Field(
        default=None,
        description="The key of the API. Keep it out of the file: `${OPENAI_API_KEY}` reads it "
        "from the environment or from `.env`. Many local servers need none.",
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="How freely words are chosen; the server decides."
    )
    top_p: float | None = Field(
        default=None, gt=0, le=1, description="The other way to say that; the server decides."
    )
    max_tokens: PositiveInt | None = Field(
        default=None, description="The longest answer, in tokens; the server decides."
    )
    thinking_tokens: Annotated[int, Field(ge=1_024)] | None = Field(
        default=None,
        description="Anthropic only: let the model think before it answers, for so many tokens. "
        "Models that measure their thinking themselves only take it as a yes.",
    )
    context_length: Annotated[int, Field(ge=2_000)] = Field(
        default=128_000, description="How many tokens the model can take in, answer included."
    )
    images: bool | None = Field(
        default=None,
        description="Whether the model can look at pictures. Unset: yes, but for `demo`.",
    )
    connect_timeout_s: PositiveFloat = Field(
        default=10, description="Give up connecting after this long."
    )
    idle_timeout_s: PositiveFloat = Field(
        default=120, description="If nothing arrives for this long, the call has failed."
    )
    tries: Annotated[int, Field(ge=1, le=10)] = Field(
        default=3, description="How often a call is made before its failure is reported."
    )
    max_retry_after_s: PositiveFloat = Field(
        default=60, description="The longest wait that a busy server may ask for."
    )
    price: PriceSettings = PriceSettings()

    @property
    def label(self) -> str:
        """What people call it."""
        return self.alias or self.name

    @property
    def sees_images(self) -> bool:
        """Whether it can look at pictures."""
        return self.provider != "demo" if self.images is None else self.images

    @property
    def address(self) -> HttpUrl:
        """Where the API lives."""
        return self.base_url or BASE_URLS[self.provider]


class BudgetSettings(Section):
    """The most that may be used in a day, in the gateway's time zone. Unset: no limit."""

    tokens_per_user: PositiveInt | None = Field(
        default=None, description="Tokens, read and written, for each person."
    )
    cost_per_user: PositiveFloat | None = Field(
        default=None, description="Cost for each person, by the `price` of the models."
    )
    tokens_per_chat: PositiveInt | None = Field(default=None, description="Tokens for each chat.")
    cost_per_chat: PositiveFloat | None = Field(default=None, description="Cost for each chat.")
    tokens: PositiveInt | None = Field(default=None, description="Tokens for all together.")
    cost: PositiveFloat | None = Field(default=None, description="Cost for all together.")
    currency: Word = Field(default="USD", description="What `price` and costs are in; only shown.")
