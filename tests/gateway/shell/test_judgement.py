"""What a command line is taken for. Whoever wants to slip something past it is asked about it."""

import pytest

from gateway.shell.judgement import Danger, is_allowed, judge


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "cat notes/plan.md | grep -n cat | head -5",
        "find . -name '*.py' -newer setup.cfg",
        "wc -l *.txt; du -sh .",
        'echo "it\'s here" && sort names.txt 2>/dev/null',
        "/usr/bin/stat a.txt",
        "diff <a.txt b.txt >/dev/null 2>&1",
    ],
)
def test_what_only_looks_is_harmless(line: str) -> None:
    assert judge(line).danger is Danger.NONE


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("cp a.txt b.txt", "cp *"),
        ("mkdir -p a/b && touch a/b/c", "mkdir *, touch *"),
        ("ls | tee list.txt", "tee *"),
        ("python3 -m pytest -q", "python3 -m pytest -q"),
        ("git commit -m 'first'", "git commit -m 'first'"),
        ("./build.sh test", "./build.sh test"),
        ("sort names.txt -o names.txt", "sort names.txt -o names.txt"),
        ("echo hello > a.txt", "echo hello > a.txt"),
        ("sqlite3 a.db '.shell id'", "sqlite3 a.db '.shell id'"),
    ],
)
def test_a_yes_holds_for_little(line: str, pattern: str) -> None:
    judgement = judge(line)
    assert judgement.danger is Danger.ORDINARY
    assert judgement.pattern == pattern


@pytest.mark.parametrize(
    ("approved", "wanted"),
    [
        ("./log 'done, ./evil'", "./log done; ./evil"),
        ("./log 'a > b'", "./log a > b"),
        ("cat good.py | python3", "cat evil.py | python3"),
        ("python3 < good.py", "python3 < evil.py"),
        ("./make && ./test", "./make | ./test"),
        ("./run 'a b'", "./run a b"),
        ("./run '*'", "./run *"),
    ],
)
def test_a_yes_to_one_line_is_none_to_another(approved: str, wanted: str) -> None:
    assert judge(approved).pattern != judge(wanted).pattern


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf .",
        "ls; rm a.txt",
        "true && shred notes.md",
        "cat a.txt | dd of=b.txt",
        "git push --force",
        "git -C repo reset --hard",
        "find . -name '*.tmp' -delete",
        "mv -f a b",
        "sed -i s/a/b/ notes.md",
        "kill -9 1",
        "chmod -R 777 .",
        "truncate -s 0 notes.md",
        "rsync -a --delete a/ b/",
        "cp /dev/null notes.md",
        "tar xf a.tar --unlink-first",
        "tar xfU a.tar",
        "git checkout-index -f -a",
        "git read-tree -u --reset HEAD",
        "git merge --abort",
        "git mv -f a b",
        "git log --output=notes.md",
        "sgdisk -Z a.img",
        "iptables -F",
    ],
)
def test_what_takes_away_for_good_is_destructive(line: str) -> None:
    assert judge(line).danger is Danger.DESTRUCTIVE


@pytest.mark.parametrize(
    "line",
    [
        # quoting
        "r''m -rf .",
        'r"m" -rf .',
        "'rm' -rf .",
        "r\\m -rf .",
        "$'\\x72\\x6d' -rf .",
        "/bin/rm -rf .",
        "/usr/bin/../bin/rm -rf .",
        "/bin/./rm -rf .",
        "//bin//rm -rf .",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf .",
        "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 /usr/bin/env rm .",
        # substitution and variables
        "$(echo rm) -rf .",
        "`echo rm` -rf .",
        "echo $(rm -rf .)",
        'echo "$(rm -rf .)"',
        'echo "`rm -rf .`"',
        "cat <(rm -rf .)",
        "X=rm; $X -rf .",
        "rm${IFS}-rf${IFS}.",
        "ls ${x:=$(rm a)}",
        "${SHELL} -c 'rm -rf .'",
        "PATH=. ls",
        "LD_PRELOAD=./evil.so ls",
        "echo $((a[$(rm a)]))",
        "printf -v 'a[$(rm b)]' x",
        "test -v 'a[$(rm b)]'",
        "printf '%s' -v 'a[$(rm b)]'; printf -v 'a[$(rm b)]' x",
        # other commands that run commands
        "env rm -rf .",
        "ls | xargs rm",
        "find . -exec rm {} +",
        "find . -execdir rm -rf . ';'",
        "find . -ok rm ';'",
        "nice -n 5 rm -rf .",
        "timeout 5 rm -rf .",
        "nohup rm -rf . &",
        "command rm -rf .",
        "builtin eval 'rm -rf .'",
        "exec rm -rf .",
        "eval 'rm -rf .'",
        "bash -c 'rm -rf .'",
        "sh script.sh",
        ". ./script.sh",
        "source script.sh",
        "busybox rm -rf .",
        "sudo rm -rf .",
        "setsid rm -rf .",
        "trap 'rm -rf .' EXIT",
        "mapfile -C 'rm -rf .' -c 1 a",
        "compgen -C 'rm -rf .'",
        "rg --pre 'rm' x ; rm x",
        "git -c core.pager='rm -rf .' log",
        "tar --checkpoint=1 --checkpoint-action=exec=sh\\ x -cf a.tar b",
        "/bin/bash -c id",
        "env -S 'rm -rf .'",
        "busybox sh -c 'rm -rf .'",
        "toybox rm -rf .",
        "chrt 1 rm -rf .",
        "choom -n 0 rm -rf .",
        "prlimit --nproc=9 rm -rf .",
        "runuser -u me rm -rf .",
        "unbuffer rm -rf .",
        "ltrace rm -rf .",
        "valgrind rm -rf .",
        "gdb -batch -ex '!rm -rf .'",
        "entr rm -rf .",
        "ip netns exec a rm -rf .",
        "jobs -x rm -rf .",
        "wait -p 'a[0]' 1",
        "vim -es -c ':!rm -rf .' -c q",
        "ed notes.md",
        "less '+!rm -rf .' a",
        "man -P 'rm -rf .' ls",
        "ssh -o ProxyCommand='rm -rf .' a",
        "scp -S ./evil a b:c",
        "socat - EXEC:rm",
        "rsync -ae 'rm -rf .' a b:c",
        "tar xIf 'rm -rf .' a.tar",
        "tar -cvIf 'rm -rf .' a.tar b",
        "git -c alias.x='!rm -rf .' x",
        "git grep -O'rm' cat",
        "git fetch --upload-pack='rm -rf .' .",
        "git archive --remote=. --exec='rm -rf .' HEAD",
        "git diff --ext-diff",
        "git hook run pre-commit",
        "split --filter='rm -rf .' a",
        # the shell's own language
        "alias ls='rm -rf .'; ls",
        "ls() { rm -rf .; }; ls",
        "function ls { rm -rf .; }; ls",
        "if true; then rm -rf .; fi",
        "for f in *; do rm $f; done",
        "while :; do rm x; done",
        "{ rm,-rf,.; }",
        "{rm,-rf,.}",
        "(rm -rf .)",
        "! rm -rf .",
        "time rm -rf .",
        "[[ -e a ]] && rm a",
        # here-documents and encodings
        "bash <<EOF\nrm -rf .\nEOF",
        "cat <<EOF | sh\nrm -rf .\nEOF",
        "bash <<< 'rm -rf .'",
        "echo cm0gLXJmIC4= | base64 -d | sh",
        "echo 'rm -rf .' | bash",
        "printf '\\162\\155 -rf .' | sh",
        "xxd -r -p <<< 726d | bash",
        # separators and what looks like none
        "ls\nrm -rf .",
        "ls;rm -rf .",
        "ls&rm -rf .",
        "ls||rm -rf .",
        "ls|rm -rf .",
        "ls #\nrm -rf .",
        "ls\rrm -rf .",
        "ls\u00a0;\u00a0rm -rf .",
        "ls \\\n; rm -rf .",
        "ls >a; rm -rf .",
        "ls >&2; rm -rf .",
        "ls &>a",
        "find . &>a -delete",
        "cat </dev/tcp/example.org/80",
        "echo a >/dev/udp/example.org/53",
        "ls \\",
        "ls\r\nrm -rf .",
        "3>a rm -rf .",
        "12>a rm -rf .",
        "ls 2>&1>a; rm b",
        "ls\x00; rm -rf .",
        "ls \u200b; rm -rf .",
        # names of files as options and commands
        "find *",
        "/bin/r? -rf .",
        "sort -* a",
        "*",
        "~/bin/tool",
        # unfinished
        "ls 'a",
        'ls "a',
        "ls >",
        "",
        "   ",
        ";",
    ],
)
def test_no_evasion_gets_past_a_question_that_is_asked_every_time(line: str) -> None:
    judgement = judge(line)
    assert judgement.danger >= Danger.ORDINARY
    is_asked_always = judgement.danger is Danger.DESTRUCTIVE
    assert is_asked_always or line == "sort -* a", judgement


def test_a_yes_to_words_from_names_of_files_is_for_that_line_alone() -> None:
    assert judge("sort -* a").pattern == "sort -* a"


@pytest.mark.parametrize(
    ("line", "patterns", "expected"),
    [
        ("make test", ("make test",), True),
        ("make test && ls", ("make *",), True),
        ("make test && cp a b", ("make *",), False),
        ("make test > log.txt", ("make *",), False),
        ("make test > /dev/null", ("make *",), True),
        ("make install", ("make test",), False),
        ("git commit -m x", ("git commit*",), True),
        ("make $(rm a)", ("make *",), False),
        ("make test", (), False),
    ],
)
def test_the_settings_allow_ordinary_commands(
    line: str, patterns: tuple[str, ...], expected: bool
) -> None:
    assert is_allowed(line, patterns) is expected


def test_the_reason_says_what_is_not_understood() -> None:
    assert judge("echo $HOME").reason == (
        "What it does can't be told beforehand. It holds a variable or a substitution."
    )
    assert judge("rm a").reason == "It deletes or overwrites for good."
