"""Looks for what must not get into the system prompt: orders to the model, and hidden characters.

Works on what will be part of the prompt (memory entries). It has to let ordinary notes pass: a
"check-in with the team daily", a path to SSH keys, family emoji and Persian or Hindi spelling,
which both need joiners. It is one wall among several, not a proof.
"""

import re

_KEY_FILES = r"(?:\.env\b|id_rsa|id_ed25519|/etc/(?:passwd|shadow)|\.netrc|\.pgpass)"
_SECRETS = r"(?:(?:system|hidden) prompt|api[ _-]?keys?|credentials|passwords?|secrets?|tokens?)"

# What was found → the patterns that find it. Each is bounded: a long text must not take long.
_PATTERNS: dict[str, tuple[str, ...]] = {
    "an instruction to drop other instructions": (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
            r"\b(?:previous|prior|above|earlier|all|system|your)\b[^.\n]{0,30}"
            r"\b(?:instructions?|rules?|prompts?|guidelines?|directives?)\b"
        ),
    ),
    "a claim to be a system message": (
        r"(?:^|\n)[^\S\n]*(?:<\|?(?:im_start\|)?system\|?>|\[/?(?:system|inst)\])",
        r"(?:^|\n)[^\S\n]*#{1,6}\s{0,9}system prompt\b",
        r"<\|im_(?:start|end)\|>|\bnew system prompt\b|\bsystem prompt override\b",
    ),
    "an instruction to deceive the person": (
        r"\b(?:do not|don't|never)\s+(?:tell|inform)\s+the\s+user\b",
        r"\b(?:do not|don't|never)\s+let\s+the\s+user\s+know\b",
        r"\bwithout\s+(?:telling|informing)\s+the\s+user\b",
    ),
    "an instruction to give away the prompt or secrets": (
        (
            r"\b(?:reveal|print|output|repeat|send|leak|post|upload|exfiltrate)\b[^.\n]{0,40}"
            rf"\b{_SECRETS}\b[^.\n]{{0,60}}(?:\bto\b|https?://|\bverbatim\b)"
        ),
    ),
    "a command that sends secrets away": (
        (
            r"\b(?:curl|wget|nc|ncat|invoke-webrequest)\b[^\n]{0,200}"
            rf"(?:\$\{{?\w*(?:key|token|secret|pass)\w*|\.ssh/|{_KEY_FILES})"
        ),
    ),
    "a command that reads secrets": (rf"\bcat\s+[^\n|;]{{0,80}}{_KEY_FILES}",),
    "a command that opens a way in": (
        r">>\s{0,9}\S{0,200}authorized_keys",
        r"\b(?:curl|wget)\b[^\n|]{0,300}\|\s{0,9}\w{0,9}sh\b",
    ),
}
# No text matches that has none of these words: looking for them takes a tenth of the time.
_NEEDED: dict[str, tuple[str, ...]] = {
    "an instruction to drop other instructions": (
        *("instruction", "rule", "prompt", "guideline", "directive"),
    ),
    "a claim to be a system message": ("system", "inst]", "<|im_"),
    "an instruction to deceive the person": ("user",),
    "an instruction to give away the prompt or secrets": (
        *("prompt", "key", "credential", "password", "secret", "token"),
    ),
    "a command that sends secrets away": ("curl", "wget", "nc", "invoke-webrequest"),
    "a command that reads secrets": ("cat",),
    "a command that opens a way in": ("authorized_keys", "curl", "wget"),
}
_patterns = {
    name: re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)
    for name, parts in _PATTERNS.items()
}

# Format characters that nobody can see: zero width, bidirectional controls, tags.
_invisible = re.compile(
    "[\u200b\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u00ad]|[\U000e0000-\U000e007f]"
)
_joiner = re.compile("[\u200c\u200d]")
# Scripts that spell with joiners: Arabic, Indic (Devanagari … Sinhala), Mongolian; RTL marks too.
_joined_scripts = re.compile("[\u0590-\u08ff\u0900-\u0dff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
_pictograph = re.compile("[\u2190-\u2bff\ufe0f\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
_tag_flag = re.compile("\U0001f3f4[\U000e0030-\U000e007a]+\U000e007f")  # Scotland's, Wales's …
# Letters that stand for others: full width, and the two i's that `re.IGNORECASE` takes for one.
_look_alikes = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x130: "i", 0x131: "i"}


def scan(text: str) -> str | None:
    """What was found, as a phrase for an error text, or None if the text may pass."""
    plain = text if text.isascii() else text.translate(_look_alikes)
    folded = plain.casefold()
    for name, pattern in _patterns.items():
        if any(word in folded for word in _NEEDED[name]) and pattern.search(plain):
            return name
    if text.isascii():
        return None
    visible = _tag_flag.sub("", text)
    if _invisible.search(visible) or _has_stray_joiner(visible):
        return "invisible characters"
    return None


def _has_stray_joiner(text: str) -> bool:
    """Whether a joiner joins neither emoji nor letters of a script that spells with joiners."""
    for match in _joiner.finditer(text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        in_emoji = _pictograph.match(before) and _pictograph.match(after)
        if not in_emoji and not _joined_scripts.match(before):
            return True
    return False
