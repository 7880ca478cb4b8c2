"""The exceptions of the Python client: one class for each code of the daemon's errors."""

from ocd.api.errors import CODES

# Codes whose plain class names are taken by Python itself.
_CLASS_NAMES = {
    "timeout": "CallTimeoutError",
    "cancelled": "CallCancelledError",
    "file_not_found": "NoSuchFileError",
}
_BASES = {
    "timeout": "OpenChromeError, TimeoutError",
    "file_not_found": "OpenChromeError, FileNotFoundError",
}


def errors_module() -> str:
    """Return the text of the module, without its docstring."""
    classes = [
        f"class {_class_name(code)}({_BASES.get(code, 'OpenChromeError')}):\n"
        f'    """The code `{code}`."""\n'
        for code in CODES
    ]
    table = "".join(f'    "{code}": {_class_name(code)},\n' for code in CODES)
    return "\n\n".join([_HEAD, *classes, _TAIL.replace("TABLE", table)])


_HEAD = '''\
from collections.abc import Mapping
from typing import Any


class OpenChromeError(Exception):
    """A call failed.

    code: stable, one of those below. message: what happened, which may change. hint: the next step,
    or empty. details: further keys of the error object, such as `candidates`.
    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any]) -> None:
        self.code = code
        self.message = message
        self.hint = str(details.get("hint", ""))
        self.details = {name: value for name, value in details.items() if name != "hint"}
        super().__init__(f"{message} ({code})" + (f"\\nHint: {self.hint}" if self.hint else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        details = {**self.details, "hint": self.hint}
        return exception_for, (self.code, self.message, details)
'''
_TAIL = '''\
BY_CODE: Mapping[str, type[OpenChromeError]] = {
TABLE}


def exception_for(code: str, message: str, details: Mapping[str, Any]) -> OpenChromeError:
    """Return the exception for an error of the daemon; of the base class if its code is new."""
    return BY_CODE.get(code, OpenChromeError)(code, message, details)
'''


def _class_name(code: str) -> str:
    """Return the class for a code: `dialog_open` gives DialogOpenError."""
    words = "".join(word.title() for word in code.lower().split("_"))
    return _CLASS_NAMES.get(code, words.removesuffix("Error") + "Error")
