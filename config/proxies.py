"""Addresses of proxies. They may hold a name and a password, so they are secrets."""

import re
from typing import Annotated

from pydantic import AfterValidator, SecretStr
from pydantic_core import PydanticCustomError

from config.section import SENTENCE, Secret

_HTTP = re.compile(r"https?://[^/\s]+/?", re.ASCII | re.IGNORECASE)
_ANY = re.compile(r"(https?|socks5h?)://[^/\s]+/?", re.ASCII | re.IGNORECASE)


def _is_http(address: SecretStr) -> SecretStr:
    if not _HTTP.fullmatch(address.get_secret_value()):
        raise PydanticCustomError(
            SENTENCE, "must be an address that starts with http:// or https://."
        )
    return address


def _is_any(address: SecretStr) -> SecretStr:
    if not _ANY.fullmatch(address.get_secret_value()):
        raise PydanticCustomError(
            SENTENCE,
            "must be an address that starts with http://, https://, socks5:// or socks5h://.",
        )
    return address


HttpProxyAddress = Annotated[Secret, AfterValidator(_is_http)]
ProxyAddress = Annotated[Secret, AfterValidator(_is_any)]
