"""The command line: `program` reads what is asked for, one file for each thing that is done."""

from gateway.cli.program import main

__all__ = ["main"]
