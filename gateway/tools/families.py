"""All tools that this gateway has, one line for each family. Who may use which is `policy`'s."""

from config.settings import Settings
from gateway.sandbox.base import Sandbox
from gateway.schedule.book import Book
from gateway.tools.code import CodeTools
from gateway.tools.cronjob import TimeTools
from gateway.tools.files import FileTools
from gateway.tools.modules import load_tools
from gateway.tools.tool import Tool, tools_of
from gateway.tools.web import WebTools
from gateway.web.web import Web


def make_tools(settings: Settings, book: Book | None, web: Web, sandbox: Sandbox) -> list[Tool]:
    """The tools. Blocks while modules are loaded. Raises `StartupError`."""
    return [
        *tools_of(FileTools(), "files"),
        *(tools_of(TimeTools(book), "time") if book else []),
        *tools_of(WebTools(web), "web"),
        *tools_of(CodeTools(sandbox, settings.code), "code"),
        *load_tools(settings.tools.modules),
    ]
