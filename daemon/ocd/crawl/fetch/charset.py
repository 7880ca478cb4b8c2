"""Decoding bytes as browsers do: BOM, header, meta, UTF-8 if valid, else detected.

For a body without a label, chardet guesses; if it cannot tell either, windows-1252 is assumed.
"""

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
# The charset of most undeclared pages, unless another one is clearly likelier.
_USUAL = "cp1252"
_NEARLY = 0.9
# The charsets that web pages use, by names that chardet and Python's codecs share.
_DETECTABLE = (
    "big5hkscs", "cp866", "cp932", "cp949", "euc-jp", "euc-kr", "gb18030", "iso-2022-jp",
    "iso-8859-1", "iso-8859-2", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
    "iso-8859-15", "koi8-r", "koi8-u", "mac-cyrillic", "windows-1250", "windows-1251",
    "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "cp874", "cp1252",
)  # fmt: skip
# The escape that begins Japanese text in ISO-2022-JP, which is ASCII otherwise.
_ISO_2022 = b"\x1b$"
# Text with fewer valid characters than this for each broken one is not UTF-8.
_MANY = 20
# How many bytes of non-ASCII lines suffice to detect a charset.
_ENOUGH = 16_000
_LABEL_EDGES = " \t\n\r\f\"'"
# Python's codecs of these names decode fewer characters than browsers' do.
_WIDER = {"shift_jis": "cp932", "euc-kr": "cp949", "gbk": "gb18030", "big5": "big5hkscs"}


def decode(body: bytes, charset: str = "") -> str:
    """Return the text of a body; `charset` is the label of the Content-Type header, if any."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = codec_of(charset) or _declared_charset(body[:_META_WITHIN])
    return body.decode(declared or _detected_charset(body), "replace")


def is_undeclared(body: bytes, charset: str) -> bool:
    """Return whether the charset must be detected from the text, which takes time."""
    if _is_utf8(body) or codec_of(charset) or body.startswith(tuple(mark for mark, _ in _BOMS)):
        return False
    return not _declared_charset(body[:_META_WITHIN])


def _detected_charset(body: bytes) -> str:
    if _is_utf8(body):
        return "utf-8"
    from chardet import detect_all  # 60 ms and 28 MB, only for old pages

    found = detect_all(
        _non_ascii_lines(body), include_encodings=_DETECTABLE, empty_input_encoding=_USUAL,
        no_match_encoding=_USUAL,
    )  # fmt: skip
    enough = found[0]["confidence"] * _NEARLY
    likely = {
        codecs.lookup(guess["encoding"] or _USUAL).name
        for guess in found
        if guess["confidence"] >= enough
    }
    return _USUAL if _USUAL in likely else codecs.lookup(found[0]["encoding"] or _USUAL).name


def _is_utf8(body: bytes) -> bool:
    """Return whether a body is UTF-8, apart from a few broken characters among many."""
    if body.isascii():
        return _ISO_2022 not in body
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
        beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
        return text.count("\ufffd") * _MANY < beyond_ascii
    return True


def _non_ascii_lines(body: bytes) -> bytes:
    """Return lines with non-ASCII characters, as many as detection needs."""
    lines, size = [], 0
    for line in body.splitlines():
        if not line.isascii() or _ISO_2022 in line:
            lines.append(line[:_ENOUGH])
            size += len(lines[-1])
            if size >= _ENOUGH:
                break
    return b"\n".join(lines)


def codec_of(label: str) -> str:
    """Return the Python codec for a charset label of the Encoding Standard, "" for any other."""
    import webencodings

    encoding = webencodings.lookup(label.strip(_LABEL_EDGES))
    # "x-user-defined" and "replacement" are not the character sets of real pages.
    if encoding is None or encoding.name in ("x-user-defined", "replacement"):
        return ""
    codec: str = _WIDER.get(encoding.name, encoding.codec_info.name)
    return codec


def _declared_charset(head: bytes) -> str:
    match = _META.search(head) or _XML.match(head)
    found = codec_of(match[1].decode("ascii")) if match else ""
    # A document whose declaration could be read as ASCII is not UTF-16, whatever it declares.
    return "utf-8" if found.startswith("utf-16") else found
