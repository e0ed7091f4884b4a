"""The settings of what people send beside text: files, pictures, voice.

Part of `config.settings`, which says where these stand in the file.
"""

from pydantic import Field, HttpUrl, NonNegativeInt, PositiveFloat, PositiveInt

from config.section import Address, Secret, Section, Word


class TranscriptionSettings(Section):
    """What turns voice messages and audio files into text. Off until there is a `model`."""

    model: Word | None = Field(
        default=None,
        description="The model's name, as its server knows it, such as `whisper-1`.",
    )
    base_url: Address = Field(
        default=HttpUrl("https://api.openai.com/v1"),
        description="A server with OpenAI's API for transcriptions: OpenAI itself, Groq, "
        "speaches, LocalAI, whisper.cpp's server behind a proxy, and others.",
    )
    api_key: Secret | None = Field(
        default=None,
        description="The key of the API, better written as `${OPENAI_API_KEY}`. Many local servers "
        "need none.",
    )
    language: Word | None = Field(
        default=None,
        description="The language that people speak, as ISO 639-1, such as `de`. Unset: the server "
        "finds out.",
    )
    timeout_s: PositiveFloat = Field(
        default=120, description="A transcription that takes longer has failed."
    )


class MediaSettings(Section):
    """What people send beside text."""

    max_file_mb: PositiveInt = Field(
        default=20, description="A larger file is not fetched, and that is said."
    )
    download_timeout_s: PositiveFloat = Field(
        default=60, description="A file that takes longer to be fetched is given up, and that too."
    )
    inline_text_chars: NonNegativeInt = Field(
        default=20_000,
        description="The text of a file or a document of no more than this is given to the model "
        "with the message; of a longer one it gets the name and the size, and can read on.",
    )
    picture_turns: PositiveInt = Field(
        default=3,
        description="A model sees the pictures of so many of the last messages; of older ones it "
        "is told their names.",
    )
    transcription: TranscriptionSettings = TranscriptionSettings()
