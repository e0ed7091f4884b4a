"""Addresses of proxies. They may hold a name and a password, so they are secrets."""

import re
from typing import Annotated

from pydantic import AfterValidator, SecretStr
from pydantic_core import PydanticCustomError

from config.section import SENTENCE, Secret


def _starts_with(*schemes: str) -> AfterValidator:
    address = re.compile(rf"({'|'.join(schemes)})://[^/\s]+/?", re.ASCII | re.IGNORECASE)
    *others, last = (f"{scheme}://" for scheme in schemes)
    mistake = f"must be an address that starts with {', '.join(others)} or {last}."

    def check(secret: SecretStr) -> SecretStr:
        if not address.fullmatch(secret.get_secret_value()):
            raise PydanticCustomError(SENTENCE, mistake)
        return secret

    return AfterValidator(check)


HttpProxyAddress = Annotated[Secret, _starts_with("http", "https")]
ProxyAddress = Annotated[Secret, _starts_with("http", "https", "socks5", "socks5h")]
