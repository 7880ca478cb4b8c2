"""Bytes to text, as browsers decide it: BOM, header, meta, UTF-8 if it is, else windows-1252."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*+=\s*+(?:["']\s*+)?([A-Za-z0-9_.:\-]{2,40})""", re.IGNORECASE
)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:\-]{2,40})""")
_META_WITHIN = 4096
# The Encoding Standard's view of labels that Python takes literally.
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932",
    "utf-16": "utf-16-le",
}  # fmt: skip
# Codecs of Python that are no character sets (`hex`, `rot13`, …) or dangerous to honour.
_REFUSED = frozenset(
    {"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"}
)


def decode(body: bytes, charset: str = "") -> str:
    """Return the text of a body; `charset` is the label of the Content-Type header, if any."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = codec_of(charset) or _declared_charset(body[:_META_WITHIN])
    if declared:
        return body.decode(declared, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def codec_of(label: str) -> str:
    """Return the codec that a charset label means, "" if it means none."""
    try:
        info = codecs.lookup(label.strip().strip("\"'"))
    except (LookupError, ValueError):
        return ""
    if info.name in _REFUSED or not info._is_text_encoding:  # noqa: SLF001 - no public way to ask
        return ""
    return _WIDER.get(info.name, info.name)


def _declared_charset(head: bytes) -> str:
    match = _META.search(head) or _XML.match(head)
    found = codec_of(match[1].decode("ascii")) if match else ""
    # A document that could be read up to here as ASCII is not UTF-16, whatever it says.
    return "utf-8" if found.startswith("utf-16") else found
