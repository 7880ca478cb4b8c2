"""The command line's grammar: from argv to a command with its parameters. Pure, and strict.

Every command that runs is parsed here; typer uses the same entries for help and completion only.
"""

from __future__ import annotations

import os

from oc.command_line import (
    command_aliases,
    command_index,
    command_names,
    positional_args,
    value_parsing,
)
from oc.command_line.builtin_commands import GLOBAL_OPTIONS
from oc.command_line.unknown_commands import refuse_unknown_command
from ocd.api.errors import OcdError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from oc.command_line.command_names import Entry


class HelpRequested(Exception):
    """Not an error: help was requested, about the command or group that `words` name.

    A third word is the kind of task in `oc task start crawl --help`.
    """

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__(words)
        self.words = words


class Command:
    """A parsed command: its entry, its parameters, and the options that every command has."""

    __slots__ = ("entry", "options", "params")

    def __init__(self, entry: Entry, params: dict[str, Any], options: dict[str, Any]) -> None:
        self.entry = entry
        self.params = params
        self.options = options

    @property
    def as_json(self) -> bool:
        """Whether to print the response body unchanged."""
        return bool(self.options.get("json"))

    @property
    def quiet(self) -> bool:
        """Whether to omit sentences about results."""
        return bool(self.options.get("quiet"))

    @property
    def session(self) -> str:
        """The session to work in."""
        return str(self.options.get("session") or os.environ.get("OPENCHROME_SESSION") or "default")


def parse(argv: Sequence[str], index: Mapping[str, Entry]) -> Command:
    """Return the command that argv contains; raises HelpRequested, or OcdError for wrong usage."""
    return _Parser(argv, index).command()


def _read(word: str) -> str:
    """Return an argument decoded as UTF-8, whatever the locale makes of its bytes."""
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        raise _usage_error(f"The argument {word!r} is not valid UTF-8") from None


class _Parser:
    def __init__(self, argv: Sequence[str], index: Mapping[str, Entry]) -> None:
        self.left = [_read(word) for word in reversed(argv)]
        self.index = index
        self.noun = ""
        self.entry: Entry | None = None
        self.known: dict[str, Any] = {}  # the schemas of the command's parameters
        self.given: dict[
            str, list[str]
        ] = {}  # the texts of each parameter that is given as an option
        self.options: dict[str, Any] = {}
        self.bare: list[str] = []  # positional arguments
        self.any_option = False  # for a kind of task that our catalog does not describe

    def command(self) -> Command:
        options_end = False
        while self.left:
            word = self.left.pop()
            if word == "--" and not options_end:
                options_end = True
            elif self.is_file_to_run(word):
                # What follows belongs to the program.
                self.bare += [word, *reversed(self.left)]
                self.left.clear()
            elif word.startswith("-") and not options_end and not _is_value(word):
                self.option(word)
            else:
                self.word(word)
        entry = self.finish()
        return Command(entry, self.params(entry), self.options)

    def is_file_to_run(self, word: str) -> bool:
        """Return whether the word is the file of `oc run`."""
        return self.entry is not None and self.entry["name"] == "run" and word[:1] != "-"

    # --- words ------------------------------------------------------------------------------

    def word(self, word: str) -> None:
        if self.entry is not None:
            self.bare.append(word)
            if self.entry["name"] == "task_start" and len(self.bare) == 1:
                properties = _kind_properties(self.index, word)
                self.any_option = properties is None
                self.known |= properties or {}
        elif self.noun:
            self.second_word(word)
        elif word in command_names.NOUNS or word in command_aliases.NOUNS:
            self.noun = word
        else:
            self.settle(
                self.index.get(command_names.key(word))
                or command_aliases.find(word, self.index)
                or refuse_unknown_command(word, self.index)
            )

    def second_word(self, word: str) -> None:
        line = f"{self.noun} {word}"
        entry = self.index.get(f"{self.noun}_{command_names.key(word)}") or command_aliases.find(
            line, self.index
        )
        if entry is None and (alone := self.command_of_noun()):
            # `oc worker create`, `oc wait 500`: what follows are arguments.
            self.settle(alone)
            self.word(word)
        else:
            self.settle(entry or refuse_unknown_command(line, self.index))

    def command_of_noun(self) -> Entry | None:
        """Return the command with the same name as the group whose word was given."""
        return self.index.get(self.noun) or command_aliases.find(self.noun, self.index)

    def settle(self, entry: Entry) -> None:
        self.entry = entry
        self.known = dict(entry["params"]["properties"])

    def finish(self) -> Entry:
        if self.entry is None and (alone := self.command_of_noun()):
            self.settle(alone)
        if self.entry is None:
            raise HelpRequested((self.noun,) if self.noun else ())
        return self.entry

    # --- options ----------------------------------------------------------------------------

    def option(self, word: str) -> None:
        label, equals, text = word.partition("=")
        if self.entry is None and (
            entry := command_aliases.find(f"{self.noun} {label}", self.index)
        ):
            self.settle(entry)  # `oc wait --selector CSS`
            if equals:
                self.bare.append(text)
            return
        name = _option_name(label)
        if name in ("help", "h"):
            raise HelpRequested(self.help_words())
        schemas, name, negated = self.owner(label, name)
        schema = schemas[name]
        if not equals and self.takes_no_value(schema):
            self.keep(schemas, name, "false" if negated else "true")
            return
        if negated:
            raise _usage_error(f"{label} takes no value", f"Use --{name.replace('_', '-')}={text}.")
        if not equals:
            if not self.left:
                raise _usage_error(f"{label} needs a value: {value_parsing.describe(schema)}")
            text = self.left.pop()
        self.keep(schemas, name, text)

    def takes_no_value(self, schema: dict[str, Any]) -> bool:
        """Return whether an option is a switch, or used as one here: no value follows."""
        if not value_parsing.is_switch_or_value(schema):
            return value_parsing.is_flag(schema)
        following = self.left[-1] if self.left else "--"
        is_option = following.startswith("-") and not _is_value(following)
        return is_option or not value_parsing.accepts(schema, following)

    def help_words(self) -> tuple[str, ...]:
        if self.entry is not None:
            kind = self.bare[:1] if self.entry["name"] == "task_start" else ()
            return (*command_names.words(self.entry), *kind)
        return (self.noun,) if self.noun else ()

    def owner(self, label: str, name: str) -> tuple[dict[str, Any], str, bool]:
        """Return the schemas that have the option, its name there, and whether it is negated."""
        for schemas in (self.known, GLOBAL_OPTIONS):
            if name in schemas:
                return schemas, name, False
            if name == "timeout" and "timeout_ms" in schemas and self.entry is not None:
                return schemas, "timeout_ms", False
        for schemas in (self.known, GLOBAL_OPTIONS):
            positive = name.removeprefix("no_")
            if (
                positive != name
                and positive in schemas
                and value_parsing.is_switch(schemas[positive])
            ):
                return schemas, positive, True
        if self.any_option:
            self.known[name] = {}
            return self.known, name, False
        raise self.unknown_option(label, name)

    def keep(self, schemas: Mapping[str, Any], name: str, text: str) -> None:
        if schemas is GLOBAL_OPTIONS:
            self.options[name] = value_parsing.parse(
                f"--{name.replace('_', '-')}", schemas[name], [text]
            )
        elif value_parsing.is_switch(schemas[name]):
            self.given[name] = [text]  # the last one counts, as usual
        else:
            self.given.setdefault(name, []).append(text)

    def unknown_option(self, label: str, name: str) -> OcdError:
        if self.entry is None:
            hint = "Put a command's options after it."
            return _usage_error(f"oc has no option {label}", hint)
        line = " ".join(command_names.words(self.entry))
        options = [each.replace("_", "-") for each in (*self.known, *GLOBAL_OPTIONS)]
        hint = did_you_mean(name.replace("_", "-"), options, f"oc {line} --help", template="--{}")
        if self.entry["name"] == "task_start" and not self.bare:
            hint = "Put a kind's options after it: oc task start crawl --url URL"
        return _usage_error(f"oc {line} has no option {label}", hint)

    # --- parameters -------------------------------------------------------------------------

    def params(self, entry: Entry) -> dict[str, Any]:
        names = [name for name in self.positional(entry) if name not in self.given]
        if positional_args.is_lone_action(names, self.bare, self.known, self.given):
            raise _lone_action_error(self.bare[0], names[1])
        if len(self.bare) == 1 and entry.get("lone") in names:
            names = [entry["lone"]]
        names = positional_args.assign(names, self.bare, self.known, self.given)
        texts = positional_args.distribute(names, self.bare, self.known)
        if len(self.bare) > sum(map(len, texts.values())):
            extra = self.bare[len(names)]
            raise _usage_error(f"Unexpected argument {extra!r}", command_names.usage(entry))
        if "urls" in self.known.keys() - self.given.keys() and _is_indirect(texts.get("url", [])):
            texts["urls"] = texts.pop("url")  # `oc crawl -`, `oc crawl @start-pages.txt`
        found: dict[str, Any] = dict(entry.get("fixed", ()))
        for name, text in (texts | self.given).items():
            by_option = name in self.given
            label = f"--{name.replace('_', '-')}" if by_option else name.upper()
            found |= self.value(name, label, text)
        writes = entry["name"] in command_names.FILES and "path" not in found
        if writes and self.options.get("out", "-") != "-":
            found["path"] = _absolute(self.options.pop("out"))
        missing = [name for name in entry["params"].get("required", ()) if name not in found]
        if missing:
            usage = command_names.usage(entry)
            raise _usage_error(f"Missing argument: {' '.join(map(str.upper, missing))}", usage)
        self.share_timeout(found)
        self.share_format(found)
        return found

    def positional(self, entry: Entry) -> tuple[str, ...]:
        names = command_names.positional(entry)
        if entry["name"] != "task_start" or not self.bare:
            return names
        kind = command_index.kind(self.index, self.bare[0])
        return names if kind is None else (*names, *command_names.positional(kind))

    def value(self, name: str, label: str, texts: list[str]) -> dict[str, Any]:
        if self.is_content(name, texts):
            name = name.removesuffix("_path")
        schema, companion = self.known[name], f"{name}_path"
        large = companion in self.known or schema.get("type") == "object"
        if large and len(texts) == 1:
            texts = [value_parsing.resolve_indirection(texts[0])]
        value = value_parsing.parse(label, schema, texts)
        if name.endswith(("_path", "_paths")):
            # The daemon has another working directory.
            value = [_absolute(v) for v in value] if isinstance(value, list) else _absolute(value)
        elif schema.get("x-addresses") and len(texts) == 1 and os.path.isfile(texts[0]):
            value = _absolute(texts[0])
        return {name: value}

    def is_content(self, name: str, texts: list[str]) -> bool:
        """Return whether JSON, `@file` or `-` is given where the path of a value is expected."""
        plain = name.removesuffix("_path")
        written = len(texts) == 1 and texts[0].lstrip()[:1] in ("{", "@", "-")
        return plain != name and plain in self.known and written

    def share_format(self, found: dict[str, Any]) -> None:
        # The file that --out names is a picture, in the format of its name.
        if "out" in self.options and "png" in self.known.get("format", {}).get("enum", ()):
            from ocd.api.image_formats import format_for_path

            named = format_for_path(self.options["out"], found.get("format"))
            found |= {"format": named} if named else {}

    def share_timeout(self, found: dict[str, Any]) -> None:
        # Given before the command, it was parsed as an option of all commands.
        if "timeout_ms" in self.options and "timeout_ms" in self.known:
            found.setdefault("timeout_ms", self.options["timeout_ms"])


def _is_value(word: str) -> bool:
    # `-` is standard input, -5 a number, "- a point" and "-->" are text.
    label = word.partition("=")[0]
    return word != "--" and (
        (word[1:2].isdecimal() and not word.startswith("--"))
        or not label.lstrip("-")[:1].isalnum()
        or any(map(str.isspace, label))
    )


def _is_indirect(texts: list[str]) -> bool:
    return len(texts) == 1 and (texts[0] == "-" or texts[0].startswith("@"))


def _option_name(label: str) -> str:
    if label in ("-q", "-o"):
        return {"-q": "quiet", "-o": "out"}[label]
    name = label.lstrip("-")
    if name.isupper() or name.islower():
        return command_names.key(name)
    return command_names.key("".join(f"_{c.lower()}" if c.isupper() else c for c in name))


def _kind_properties(index: Mapping[str, Entry], word: str) -> dict[str, Any] | None:
    """Return the parameters of a kind of task; None for one that our catalog does not know."""
    kind = command_index.kind(index, word)
    if kind is None:
        return None
    properties = kind["params"]["properties"]
    return {k: v for k, v in properties.items() if k not in command_names.SHARED}


def _absolute(path: object) -> object:
    return os.path.abspath(os.path.expanduser(path)) if isinstance(path, str) else path


def _lone_action_error(action: str, name: str) -> OcdError:
    hint = (
        f"After the element: oc interact e12 {action}. Without one: --{name} {action}. "
        f"If these are words on the page: --query '{action}'"
    )
    return _usage_error(f"'{action}' is an action, and the element comes first", hint)


def _usage_error(message: str, hint: str = "") -> OcdError:
    return OcdError("invalid_argument", message, hint=hint)
