"""What can go wrong with something that was sent. The texts are for the person and for the model.

MediaError
├── NotFetched       the file did not come, or was too large
├── NotSeen          a picture can't be shown to a model
└── NotHeard         nobody could say what was spoken
    └── NothingSaid  because nothing was

Each text completes "<name>: …" and is a sentence without an address, a path of ours or a key.
"""

from gateway.errors import GatewayError


class MediaError(GatewayError):
    """Something that was sent could not be taken in."""


class NotFetched(MediaError):
    """The file could not be had."""


class NotSeen(MediaError):
    """The picture can't be shown to a model."""


class NotHeard(MediaError):
    """What was spoken could not be turned into text."""


class NothingSaid(NotHeard):
    """There are no words in the recording."""
