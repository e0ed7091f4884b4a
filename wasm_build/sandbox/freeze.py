"""Puts the standard library's bytecode into one file: name → (whether a package, code).

Runs in the toolchain's Python 3.11, whose bytecode is that of the sandbox, and imports nothing of
ours: `python freeze.py LIBRARY_FOLDER TARGET_FILE MODULE…`; the modules are our own, put in beside
the library. `library.py` reads the file.
"""

import marshal
import sys
from pathlib import Path

# What can't work without sockets, processes, threads, a screen, or C libraries that are not there;
# what is for building and testing Python itself; and what nobody has missed since 2003.
LEFT_OUT = """
    __hello__ __phello__ _aix_support _bootsubprocess _osx_support antigravity this
    config-3.11-wasm32-wasi lib-dynload site-packages
    asynchat asyncio asyncore concurrent multiprocessing selectors socket socketserver ssl
    ftplib imaplib nntplib poplib smtpd smtplib telnetlib webbrowser wsgiref xmlrpc
    bz2 crypt ctypes curses dbm getpass gzip lzma pty sqlite3 shelve subprocess tty
    idlelib tkinter turtle turtledemo
    bdb cProfile cgi cgitb code compileall distutils ensurepip lib2to3 modulefinder pdb profile
    py_compile pyclbr pydoc pydoc_data runpy site tabnanny test trace venv zipapp
    aifc chunk imghdr mailcap msilib nis ossaudiodev pipes sndhdr sunau uu xdrlib
"""

# Imports of what is left out, in modules that are of use without it.
DISPENSABLE = {"email.utils": b"import socket\n"}

Library = dict[str, tuple[bool, bytes]]


def frozen(folder: Path) -> Library:
    """All modules under `folder` that are not left out, without docstrings."""
    library: Library = {}
    left_out = frozenset(LEFT_OUT.split())
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        if parts[0] in left_out or "__pycache__" in parts or "tests" in parts:
            continue
        shown = "<stdlib>/" + path.relative_to(folder).as_posix()
        source = path.read_bytes().replace(DISPENSABLE.get(name, b"\0"), b"")
        library[name] = (is_package, bytecode(source, shown))
    return library


def bytecode(source: bytes, shown: str) -> bytes:
    """A module's code; `shown` is the file name in its tracebacks, which nobody will open."""
    code = compile(source, shown, "exec", dont_inherit=True, optimize=2)
    return marshal.dumps(code)


if __name__ == "__main__":
    source, target, *ours = map(Path, sys.argv[1:])
    modules = frozen(source)
    for path in ours:
        modules[path.stem] = (False, bytecode(path.read_bytes(), f"<hermes>/{path.name}"))
    target.write_bytes(marshal.dumps(modules))
