"""Options that stand for arguments of the library, wherever a sentence names one."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from quorate.arguments import Argument, Sentence

if TYPE_CHECKING:
    from quorate.table.exchange.format import Kind
    from quorate.table.reading.reading import Meant

# Arguments that map names to something: the option that takes one entry, and what stands for what the user fills in.
_ENTRIES = {
    "facets": ("--facet", "ROLE", "COLUMN"),
    "identities": ("--identity", "JUDGE", "SYSTEM"),
    "nested": ("--nested", "ROLE", "ROLE"),
    "only": ("--only", "ROLE", "LABEL"),
    "outcomes": ("--outcome", "OUTCOME", "LABEL"),
    "prices": ("--judge-price", "NAME", "USD"),
    "roles": ("--role", "ROLE", "COLUMN"),
    "targets": ("--target", "ROLE", "TARGET"),
}
_EACH = ("missing", "human")
"""Arguments that are lists, with an option for each entry."""
_LISTS = {"cluster": "none", "fixed": "", "model_b": "", "rank": "", "scale": "", "winner": "", "wins": ""}
"""Arguments that are lists, with commas as options, and what stands for an empty one."""
_LIMITS = ("items", "prompts", "judges", "replicates")
"""Limits that have an option of their own."""
_RENAMED = {"format": "file_format", "covariates": "covariate", "rng": "seed"}
"""Arguments whose options have other names."""
_PLAIN = r"[\w@%+=:,./-]+"
_FILLED_IN = {
    "by": "ROLE",
    "data": "DIR",
    "generation": "ROLE",
    **dict.fromkeys(("status", "score", "winner", "model_a", "model_b"), "COLUMN"),
}


def in_options(text: str) -> str:
    """A sentence of the library with options in the place of arguments; other text as it is.

    Examples
    --------
    >>> from quorate.arguments import argument
    >>> in_options("name it in " + argument("facets", {...: ...}) + ", or read with " + argument("fixed", ()))
    'name it in --facet ROLE=COLUMN, or read with --fixed ""'
    """
    return text.spelled(option) if isinstance(text, Sentence) else text


def option(argument: Argument) -> str:
    """The option, with its value, that stands for an argument."""
    return " ".join(flag if value is None else f"{flag} {_word(value)}" for flag, value in flags(argument))


def shell(arguments: Iterable[Argument]) -> str:
    """Options as a shell takes them: what names of columns hold is text to it.

    Examples
    --------
    >>> shell([Argument("score", "points of $HOME"), Argument("facets", {"judge": "rater"})])
    "--score 'points of $HOME' --facet judge=rater"
    """
    return " ".join(_word(word) for one in arguments for pair in flags(one) for word in pair if word is not None)


def as_command(way: Meant, verb: str, file: object, kind: Kind | None) -> str:
    """The command for a table that is meant in this way, of the verb that was typed unless it needs another."""
    from quorate.table.reading.reading import arguments

    named = (Argument(name, value) for name, value in way.people.items())
    words = [
        *("quorate", way.verb or verb, place(file), shell(arguments(kind, way.options))),
        *(way.more, shell(named)),
    ]
    return " ".join(word for word in words if word)


def place(file: object) -> str:
    """A file, or several, as a shell takes them."""
    return shlex.join(map(str, file if isinstance(file, tuple) else (file,)))


def flags(argument: Argument) -> list[tuple[str, str | None]]:
    """The option that stands for an argument, once for every entry, and its value; None of a switch."""
    name, value = argument.group or argument.name, argument.value
    if argument.group:
        value = {argument.name: value}
    if name == "prices" and isinstance(value, Mapping):
        value = value["judge"]
    if name in _ENTRIES and isinstance(value, Mapping):
        flag, key, metavar = _ENTRIES[name]
        each = [(k, one) for k, v in value.items() for one in (v if isinstance(v, tuple) else (v,))]
        return [(flag, f"{_filled(k, key)}={_filled(v, metavar)}") for k, v in each]
    flag = flag_of(name)
    if name in _OF_MANY and isinstance(value, Mapping):
        return _OF_MANY[name](value)
    if name == "numbers" and isinstance(value, Mapping):
        scores = {word: "NUMBER" if entry is ... else f"{entry:.17g}" for word, entry in value.items()}
        return [(flag, _row(f"{word}={score}" for word, score in scores.items()))]
    if name in _EACH and isinstance(value, tuple):
        return [(flag, word) for word in value]
    if name in _LISTS and isinstance(value, tuple):
        alone = "," if name == "rank" and len(value) == 1 else ""  # a column of lists, and not of places
        value = ",".join(map(str, value)) + alone or _LISTS[name]
    if value is None or value is True:
        return [(flag, None)]
    return [(flag, _filled(value, _FILLED_IN.get(name, "VALUE")))]


def flag_of(name: str) -> str:
    """The option of an argument."""
    return _ENTRIES[name][0] if name in _ENTRIES else f"--{_RENAMED.get(name, name).replace('_', '-')}"


def _wide(roles: Mapping[str, Iterable[str]]) -> list[tuple[str, str | None]]:
    return [("--wide", f"{role}={_row(columns)}") for role, columns in roles.items()]


def _limits(limits: Mapping[str, range]) -> list[tuple[str, str | None]]:
    """Numbers allowed, each in the option that it has."""
    spans = {name: f"{numbers.start}-{numbers.stop - 1}" for name, numbers in limits.items()}
    return [(f"--{k}", v) if k in _LIMITS else ("--levels", f"{k}={v}") for k, v in spans.items()]


_OF_MANY: dict[str, Callable[[Any], list[tuple[str, str | None]]]] = {"limits": _limits, "wide": _wide}


def _row(entries: Iterable[str]) -> str:
    """Entries with commas between them, those that have one themselves in quotes."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(entries)
    return out.getvalue()


def _filled(value: object, metavar: str) -> str:
    return metavar if value is ... else str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _word(text: str) -> str:
    """One word of a command as a shell takes it."""
    if re.fullmatch(_PLAIN, text):
        return text
    return shlex.quote(text) if re.search(r'["$`\\!]', text) else f'"{text}"'
