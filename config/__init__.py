"""The YAML file as typed settings: `load` finds, reads and checks it, `Settings` is what it says.

The other houses import what stands here, and `config.settings` for the parts they are given.
"""

from config.dumping import dump
from config.errors import ConfigError, ConfigInvalid, ConfigSyntax, ConfigUnreadable, Problem
from config.loading import FILE_NAME, find, load
from config.settings import Settings

__all__ = [
    "FILE_NAME",
    "ConfigError",
    "ConfigInvalid",
    "ConfigSyntax",
    "ConfigUnreadable",
    "Problem",
    "Settings",
    "dump",
    "find",
    "load",
]
