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
_LABEL_EDGES = " \t\n\r\f\"'"
# Python's codecs of these names know fewer characters than browsers' do.
_WIDER = {"shift_jis": "cp932", "euc-kr": "cp949", "gbk": "gb18030", "big5": "big5hkscs"}


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
    """Return the Python codec for a charset label of the Encoding Standard, "" for any other."""
    import webencodings

    encoding = webencodings.lookup(label.strip(_LABEL_EDGES))
    # "x-user-defined" and "replacement" are no character sets of pages that say something.
    if encoding is None or encoding.name in ("x-user-defined", "replacement"):
        return ""
    codec: str = _WIDER.get(encoding.name, encoding.codec_info.name)
    return codec


def _declared_charset(head: bytes) -> str:
    match = _META.search(head) or _XML.match(head)
    found = codec_of(match[1].decode("ascii")) if match else ""
    # A document that could be read up to here as ASCII is not UTF-16, whatever it says.
    return "utf-8" if found.startswith("utf-16") else found
