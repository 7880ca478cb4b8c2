"""Phrases that read like instructions to an assistant, in the languages of known attacks.

They are counted, never removed: a page about prompt injection must stay readable.
"""

import re
from functools import cache
from typing import Any

from ocd.safety.regex import compile_set

# What a rule is made of. All patterns are matched on lower-case text with single spaces.
_A = r"(?:all|any|every|the|your|my|of|these|those|its|other)"
_OLD = r"(?:previous|prior|preceding|earlier|above|former|existing|original|system|safety)"
_ORDERS = r"(?:instructions?|prompts?|directions?|directives?|rules?|guidelines?|commands?|context)"
_USER = r"(?:tell|inform|alert|notify|mention (?:this|it) to) the (?:user|human)"
_TAGS = (
    r"(?:system|assistant|tool_calls?|function_calls?|tool_results?|function_results?"
    r"|system[-_]reminder|important_instructions)"
)
_KO_OLD = r"(?:이전|앞선|앞의|위의|기존|지금까지의) ?(?:의 ?)?(?:모든 ?)?"
_KO_DROP = r"(?: ?(?:사항|들|어))* ?[을를은는]? ?(?:모두 ?|전부 ?)?(?:무시|잊)"
_ZH_OLD = r"(?:之前|以上|先前|前面|所有|一切)的?(?:所有|一切)?"
_JA_OLD = r"(?:以前|前|上記|これまで)の(?:すべての)?"
_DE_OLD = r"(?:alle |sämtliche )?(?:die |deine )?(?:vorherigen|bisherigen|obigen|früheren)"

# What must follow common words for a rule to match; in the original text, so with any white space
# between two words.
_SYSTEM = r"system[^a-z]*(?:prompt|message|override|instruction|:)"
_IGNORE = rf"ignor(?:e|ing)[^a-z]+(?:{_A}|{_OLD}|everything|anything)"
_FORGET = rf"forget[^a-z]+(?:{_A}|{_OLD}|{_ORDERS}|everything)"
_OVERRIDE = rf"overrid(?:e|ing)[^a-z]+(?:{_A}|{_OLD}|{_ORDERS})"
_NOW = r"you[^a-z]+(?:are|must)[^a-z]+now"
_DO_NOT = r"(?:do[^a-z]+not|don't)[^a-z]+(?:tell|inform|alert|notify|mention)"
_TAG = rf"</?{_TAGS}"

# (an RE2 pattern that the text must contain for the phrase to occur; the phrase): all the former
# are searched in one pass first, which is enough for nearly all texts.
_RULES: tuple[tuple[str, str], ...] = (
    (_IGNORE, rf"ignor(?:e|ing) (?:{_A} )*(?:{_OLD} )+(?:and \w+ )?{_ORDERS}"),
    (_IGNORE, rf"ignor(?:e|ing) (?:{_A} )+{_ORDERS}"),
    (_IGNORE, r"ignore (?:everything|anything) (?:above|before)"),
    ("disregard", rf"disregard(?:ing)? (?:{_A} )*(?:{_OLD}|{_ORDERS}|everything)"),
    (_FORGET, rf"forget (?:{_A} )*(?:{_OLD} )*{_ORDERS}"),
    (_FORGET, r"forget everything (?:above|before|you)"),
    (_OVERRIDE, rf"overrid(?:e|ing) (?:{_A} )*(?:{_OLD} )*{_ORDERS}"),
    ("instruc", r"new (?:system )?instructions?:"),
    # Separate, so that each begins with a literal or an anchor: searched ten times as fast.
    (_SYSTEM, r"system (?:prompt|message|override|instructions?) ?:"),
    (_SYSTEM, r"\A\W*system ?:"),
    (_NOW, r"you (?:are|must) now (?:an? |act|in |to )|you must now\b"),
    (_DO_NOT, rf"do not {_USER}"),
    (_DO_NOT, rf"don't {_USER}"),
    ("jailbr", r"\bjailbr(?:eak|oken)(?:ed)? mode"),
    (r"<\|", r"<\|[a-z_]+\|>"),
    (r"\[/inst\]", r"\[/inst\]"),
    ("<<sys>>", r"<<sys>>"),
    (_TAG, rf"</?{_TAGS}\b[^<>]{{0,80}}>"),
    ("instruc", r"ignor[ae]r? (?:todas )?(?:las |as )?instruc(?:ciones|ções) (?:ant|pre|pré)"),
    ("instruc", r"(?:ignore[rz]?|oublie[rz]?) (?:toutes )?(?:les |vos |tes )?instructions"),
    ("anweisungen", rf"(?:ignorier\w{{0,9}}|vergiss|missachte\w{{0,9}}) {_DE_OLD} anweisungen"),
    ("istruzioni", r"(?:ignora|dimentica) (?:tutte )?(?:le )?istruzioni (?:precedenti|sopra)"),
    (
        "инструкци",
        r"(?:игнорируй\w{0,9}|забудь\w{0,9}) (?:все )?(?:предыдущие |прежние )?инструкци",
    ),
    ("指示", rf"{_JA_OLD}指示[はをに]?(?:すべて)?(?:無視|忘れ)"),
    ("忽略", rf"忽略{_ZH_OLD}(?:指示|指令|命令)"),
    ("指令", rf"(?:无视|無視|忘记|忘記){_ZH_OLD}指令"),
    ("지시", rf"{_KO_OLD}지시{_KO_DROP}"),
    ("명령", rf"{_KO_OLD}명령{_KO_DROP}"),
    ("프롬프트", r"(?:시스템|이전) ?프롬프트 ?(?::|[을를]? ?(?:무시|공개|출력))"),
)


def _by_sign() -> dict[str, list[re.Pattern[str]]]:
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for sign, pattern in _RULES:
        patterns.setdefault(sign, []).append(re.compile(pattern))
    return patterns


_PHRASES = _by_sign()
_PATTERNS = tuple(_PHRASES.values())


@cache
def _signs() -> Any:  # noqa: ANN401 - google-re2 has no types
    return compile_set(list(_PHRASES))


# Long texts are searched in strides; a phrase with its white space is shorter than the overlap.
_STRIDE = 1 << 16
_OVERLAP = 4096
# Put before a piece that is not the start of the text.
_INSIDE = "x "


def count_phrases(text: str, start: int = 0) -> int:
    """Count the phrases of the text from `start` on that read like instructions to an assistant."""
    if len(text) - start <= _STRIDE:
        return _count(text[start:])
    found = 0
    for at in range(start, len(text), _STRIDE):
        before, end = _INSIDE if at > start else "", at + _STRIDE
        here = _count(before + text[at : end + _OVERLAP])
        # What lies entirely in the overlap is counted again by the next stride.
        found += here - _count(_INSIDE + text[end : end + _OVERLAP]) if here else 0
    return found


def _count(text: str) -> int:
    lower = text.lower()
    signs = _signs().Match(lower.encode(errors="replace"))  # a lone surrogate is not a character
    if not signs:
        return 0
    likely = [pattern for index in signs for pattern in _PATTERNS[index]]
    flat = " ".join(lower.split())  # four times as fast as a pattern
    return sum(1 for pattern in likely for _ in pattern.finditer(flat))
