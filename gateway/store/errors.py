"""What can go wrong with the store.

StoreError
├── StoreFull       the disk has no room
├── StoreNewer      the database was written by a newer version of Hermes
└── StoreDamaged    the file is not a database, or is corrupt
"""

from gateway.errors import GatewayError


class StoreError(GatewayError):
    """The database could not do what was asked."""


class StoreFull(StoreError):
    """There is no room on the disk."""


class StoreNewer(StoreError):
    """The database has a schema that this version doesn't know."""


class StoreDamaged(StoreError):
    """The database can't be read."""
