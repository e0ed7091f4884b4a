"""How dangerous a command line is, told from its words. Pure; the tables are all there is to it.

A command that is in none of the tables is an ordinary one. What is not understood is treated like
what destroys: somebody is asked each time.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from posixpath import normpath

from gateway.shell.words import NotUnderstood, Plain, commands_of


class Danger(IntEnum):
    """From harmless to worst."""

    NONE = 0  # it only looks
    ORDINARY = 1  # it may change things, as work does
    DESTRUCTIVE = 2  # it may take away what can't be brought back, or is not clear


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a line amounts to."""

    danger: Danger
    pattern: str  # what a remembered yes holds for
    reason: str = ""  # why it is destructive, in a sentence


READING = """
    basename cat cmp comm cut date df diff dirname du echo egrep false fgrep grep head hexdump id jq
    ls md5sum nl od paste pwd readlink realpath seq sha1sum sha256sum sleep stat strings tail tr
    true uname wc which whoami
"""
"""They look at files and print; none of their options writes one or starts a program."""

READING_UNLESS: dict[str, tuple[str, ...]] = {
    "file": ("-C*", "--co*", "-[!-]*C*"),
    "find": ("-exec*", "-ok*", "-delete", "-fprint*", "-fls"),
    "printf": ("-*",),
    "rg": ("--pre*", "--hostname-bin*", "-z", "--search-zip"),
    "sort": ("-o*", "--o*", "--co*", "-[!-]*o*"),
    "test": ("-*",),
    "tree": ("-o*", "-R", "-[!-]*[oR]*"),
}
"""The same, unless they have an option like these. Long options may be cut short (getopt_long)."""

SIMPLE = """
    b2sum bunzip2 bzip2 cd cksum column cp expand fmt fold gunzip gzip iconv join ln mkdir mv numfmt
    shuf tac tee touch tsort unexpand uniq unxz xz zcat
"""
"""They change files in ways that one yes may hold for; a yes to any other is for that very line."""

DESTROYING = {
    name: reason
    for reason, names in {
        "It deletes or overwrites for good.": (
            "dd fallocate mkfs rm rmdir shred truncate unlink wipefs"
        ),
        "It changes who may do what, or how the system is set up.": (
            "chattr chgrp chmod chown chsh cryptsetup fdisk fusermount insmod iptables losetup "
            "mdadm modprobe mount nft parted passwd rmmod setcap setfacl sgdisk swapoff sysctl "
            "umount useradd userdel usermod visudo"
        ),
        "It ends other programs.": (
            "fuser halt init kill killall pkill poweroff reboot shutdown telinit"
        ),
        "It runs something else, which is not seen from here.": (
            ". alias ash at bash batch bind builtin busybox bwrap chroot choom chrt command "
            "compgen complete coproc cpulimit crontab csh dash declare doas ed emacs enable entr "
            "env eval ex exec expect export fakeroot fc fish flock gdb getopts hash history ionice "
            "jobs ksh ld.so less let local ltrace man mapfile more nano nice nohup nsenter nvim "
            "parallel perf pkexec prlimit proot read readarray readonly runuser scp screen script "
            "set setarch setpriv setsid sftp sg sh shopt socat source ssh stdbuf strace su sudo "
            "systemd-run taskset tcsh time timeout tmux toybox trap typeset unbuffer unset unshare "
            "valgrind vi view vim wait watch xargs zsh"
        ),
    }.items()
    for name in names.split()
}
"""By the name of the command."""

DESTROYING_WITH: dict[str, tuple[str, ...]] = {
    "cp": ("-f", "--f*", "-[!-]*f*", "--rem*", "/dev/*"),
    "docker": ("*",),
    "find": READING_UNLESS["find"],
    "git": (
        *("-c", "-c?*", "--exec*", "--config-env*", "-[dDMf]", "--delete", "--force*", "--abort"),
        *("-O*", "--open*", "--upload-pack*", "--receive-pack*", "--ext-diff", "--output*"),
        *("bisect", "checkout*", "clean", "config", "difftool", "fast-import", "filter-branch"),
        *("filter-repo", "gc", "hook", "maintenance", "mergetool", "prune", "push", "read-tree"),
        *("rebase", "reflog", "reset", "restore", "rm", "stash", "submodule", "switch"),
        *("update-ref", "worktree"),
    ),
    "ip": ("netns", "vrf", "-b*", "del*", "flush", "set"),
    "ln": ("-f", "--f*", "-[!-]*f*"),
    "mv": ("-f", "--f*", "-[!-]*f*"),
    "printf": ("-*",),  # -v evaluates what stands in brackets
    "rsync": ("--del*", "--rem*", "-e*", "-[!-]*e*", "--rs*"),
    "sed": ("-i*", "--i*", "-[!-]*i*"),
    "split": ("--f*",),
    "systemctl": ("*",),
    "tar": (
        *("--rem*", "--to-c*", "--ch*", "--us*", "--rm*", "--rs*", "--in*", "--ne*", "--del*"),
        *("--overw*", "--unl*", "--rec*", "-[IFU]*", "-[!-]*[IFU]*"),
    ),
    "test": ("-[vR]",),
    "tree": ("-o*", "-R"),
    "zip": ("-m*", "-T*", "-d*"),
}
"""By a word that the command has."""

_WITHOUT_DASH = frozenset({"tar"})
"""Their first word is options, with a dash or without."""

_READING, _SIMPLE = frozenset(READING.split()), frozenset(SIMPLE.split())
_LOADER = re.compile(r"ld[-.](linux|musl|so)")
_FOLDERS = ("/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/")


def judge(line: str) -> Judgement:
    """What a command line amounts to."""
    try:
        commands = commands_of(line)
    except NotUnderstood as error:
        return Judgement(
            Danger.DESTRUCTIVE, line, f"What it does can't be told beforehand. {error}"
        )
    found = [_judge(command) for command in commands]
    worst = max(found, key=lambda one: one.danger)
    patterns = dict.fromkeys(one.pattern for one in found if one.danger is not Danger.NONE)
    # One that is not simple is taken by the letter, quotes, pipes, input and all: what it is given
    # is half of what it does.
    pattern = ", ".join(patterns) if patterns and all(patterns) else line.strip()
    return Judgement(worst.danger, pattern, worst.reason)


def is_allowed(line: str, patterns: Iterable[str]) -> bool:
    """Whether every command of an ordinary line is one that the settings allow.

    A pattern has the words of a command, `*` for any number of characters: `git commit*`.
    """
    try:
        commands = commands_of(line)
    except NotUnderstood:
        return False
    kept = tuple(patterns)
    return all(
        _judge(command).danger is Danger.NONE
        or (
            not any(_is_kept(path) for path in command.writes)
            and any(fnmatchcase(" ".join(command.words), pattern) for pattern in kept)
        )
        for command in commands
    )


def _judge(command: Plain) -> Judgement:
    """Its pattern is empty where a yes may hold for nothing but the line itself."""
    name = _name(command.words[0])
    if reason := DESTROYING.get(name):
        return Judgement(Danger.DESTRUCTIVE, "", reason)
    if _has_option(DESTROYING_WITH.get(name, ()), command):
        return Judgement(Danger.DESTRUCTIVE, "", "It may take away what can't be brought back.")
    if any(_is_kept(path) for path in command.writes):
        return Judgement(Danger.ORDINARY, "")
    if name in _READING or (
        name in READING_UNLESS and not _has_option(READING_UNLESS[name], command)
    ):
        return Judgement(Danger.NONE, f"{name} *")
    return Judgement(Danger.ORDINARY, f"{name} *" if name in _SIMPLE else "")


def _name(word: str) -> str:
    """`/bin/rm` is `rm`; a program elsewhere keeps its path, since its name says nothing."""
    if "/" in word:
        word = re.sub("^//", "/", normpath(word))
        if _LOADER.match(word.rpartition("/")[2]):
            return "ld.so"
    for folder in _FOLDERS:
        if word.startswith(folder) and "/" not in word[len(folder) :]:
            return word[len(folder) :]
    return word


def _has_option(patterns: Sequence[str], command: Plain) -> bool:
    """Whether one of the words is like one of the patterns, or might turn out to be.

    A word that stands for names of files becomes whatever those are, `-delete` for one.
    """
    words = command.words[1:]
    if words and _name(command.words[0]) in _WITHOUT_DASH and not words[0].startswith("-"):
        words = (f"-{words[0]}", *words[1:])
    return bool(patterns) and any(
        (word in command.globs and word[0] in "*?[-")
        or any(fnmatchcase(word, pattern) for pattern in patterns)
        for word in words
    )


def _is_kept(path: str) -> bool:
    """Whether output goes into a file: not what is thrown away."""
    return path != "/dev/null"
