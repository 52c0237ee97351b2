"""The study record: what judgments cannot say about how they were made, as the people who made them wrote it down."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from quorate.analysis.words import shown
from quorate.errors import InvalidInput
from quorate.table.exchange.encoding import ordinary

MOST_BYTES = 1_000_000
_DEEPEST = 10
MOST_CHARACTERS = 100_000
MOST_ENTRIES = 10_000
NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Key:
    """A key of the record: what may stand there, and what it says.

    Parameters
    ----------
    kinds : tuple of str
        ``text``, ``number``, ``whole``, ``date``, ``yes or no``, ``list`` (of the others) or ``mapping`` (to them).
    meaning : str
        What to write there.
    """

    kinds: tuple[str, ...]
    meaning: str


KEYS: Mapping[str, Key] = {
    "title": Key(("text",), "what the study is called"),
    "prompts": Key(("text", "list", "mapping"), "the exact text of every prompt variant, by its label in the data"),
    "prompt_file": Key(("text", "list"), "file or files that hold the exact prompt texts"),
    "system_prompt": Key(("text", "mapping"), "the exact system prompt"),
    "models": Key(("text", "list", "mapping"), "every judge by its label in the data: model, version and provider"),
    "dates": Key(("date", "text", "list", "mapping"), "when the judgments were made"),
    "temperature": Key(("number", "text", "list", "mapping"), "temperature of every judge"),
    "top_p": Key(("number", "text", "list", "mapping"), "top-p, where it was set"),
    "top_k": Key(("number", "text", "list", "mapping"), "top-k, where it was set"),
    "replicates": Key(("whole",), "judgments asked for per cell"),
    "parsing": Key(("text",), "how an answer becomes a score, and what happens when it cannot"),
    "prompt_variants": Key(("text",), "how the prompt variants were made"),
    "original_prompt": Key(("yes or no", "text"), "whether the prompt first written is among the variants"),
    "prompt_sensitivity": Key(("text",), "what is known of the effect of wording, where the data cannot tell"),
    "quantization": Key(("text", "mapping"), "number format of local models"),
    "serving": Key(("text", "mapping"), "serving software or API, with its version"),
    "batch_size": Key(("whole", "text", "mapping"), "requests per batch"),
    "rationale": Key(("text",), "why so many items, prompts, judges and replicates"),
    "items": Key(("text",), "where the items come from and what they stand for"),
    "human_validation": Key(("text",), "how scores were compared with people's"),
    "seed": Key(("whole",), "seed of record: of sampling, assignment or generation"),
}
"""Every key of a record. Each also takes ``{"not applicable": "why"}``."""


@dataclass(frozen=True)
class Record:
    """A study record that was checked.

    Parameters
    ----------
    entries : mapping of str to object
        What was written, by key.
    source : str
        Path, or "mapping".
    sha256 : str, optional
        Hash of the file's bytes.
    """

    entries: Mapping[str, Any]
    source: str = "mapping"
    sha256: str | None = None

    def says(self, key: str) -> Any:
        """What is written under a key; None where nothing is, or where it does not apply."""
        value = self.entries.get(key)
        return None if _excused(value) else value

    def excuse(self, *keys: str) -> str | None:
        """Why a key does not apply; None where that is not written for each of them."""
        found = [self.entries.get(key) for key in keys]
        reasons = [str(value[NOT_APPLICABLE]) for value in found if isinstance(value, Mapping) and _excused(value)]
        return "; ".join(dict.fromkeys(reasons)) if len(reasons) == len(keys) else None


def study_record(source: Mapping[str, Any] | str | Path | Record | None) -> Record:
    """A study record, checked: known keys with values of the right kind.

    Parameters
    ----------
    source : mapping, path or None
        The record, or a YAML or JSON file that holds one. None is an empty record.

    Raises
    ------
    InvalidInput
        If the file cannot be read, is too large or no plain YAML, or if a key is not known or holds the wrong kind.

    Examples
    --------
    >>> study_record({"parsing": "first number in the answer", "seed": 7}).says("seed")
    7
    """
    if isinstance(source, Record):
        return source
    if source is None:
        return Record({})
    if isinstance(source, Mapping):
        return Record(_checked(source, "record"))
    if not isinstance(source, (str, Path)):
        raise InvalidInput(f"record: expects a mapping or the path of a YAML file, got {type(source).__name__}")
    path = Path(source)
    try:
        with ordinary(path).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"record: {path} cannot be read ({error.strerror or error})") from error
    if len(content) > MOST_BYTES:
        raise InvalidInput(
            f"record: {path} is larger than {MOST_BYTES:,} bytes; keep long texts in files and name them in prompt_file"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"record: {path} is not UTF-8 text") from error
    return Record(_checked(_parsed(text, path), str(path)), str(path), sha256(content).hexdigest())


def _parsed(text: str, path: Path) -> Mapping[Any, Any]:
    import yaml

    try:
        _only_plain(text, path)
        content = yaml.safe_load(text)
    except InvalidInput:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        parts = [getattr(error, name, None) for name in ("context", "problem", "reason")]
        why = shown(" ".join(", ".join(str(part) for part in parts if part).split()) or "no YAML", 200)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        raise InvalidInput(f"record: {path}: {line}{why}") from error
    except (RecursionError, ValueError) as error:
        raise InvalidInput(f"record: {path} cannot be read as YAML ({' '.join(str(error).split())[:100]})") from error
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise InvalidInput(f"record: {path} holds a {_kind(content)}, not keys with values; {_allowed()}")
    return content


def _only_plain(text: str, path: Path) -> None:
    """Refuse references, by which a small file can stand for a huge one, and keys given twice."""
    import yaml

    open_: list[list[Any]] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            line = _line(event)
            raise InvalidInput(f"record: {path}: line {line}: write *{event.anchor} out; references are not read")
        if open_ and isinstance(open_[-1], _Keys) and not isinstance(event, yaml.MappingEndEvent):
            open_[-1].take(event, path)
        if len(open_) > _DEEPEST:
            raise InvalidInput(
                f"record: {path}: line {_line(event)}: nested too deep; write keys with texts and numbers"
            )
        if isinstance(event, yaml.MappingStartEvent):
            open_.append(_Keys())
        elif isinstance(event, yaml.SequenceStartEvent):
            open_.append([])
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            open_.pop()


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Keys(list[Any]):
    """Keys of one mapping, as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.at_key = True

    def take(self, event: Any, path: Path) -> None:
        """A node that starts in the mapping: a key and a value in turn."""
        import yaml

        if self.at_key and isinstance(event, yaml.ScalarEvent):
            if event.value in self:
                raise InvalidInput(f'record: {path}: line {_line(event)}: "{shown(event.value, 40)}" is given twice')
            self.append(event.value)
        self.at_key = not self.at_key


def _checked(entries: Mapping[Any, Any], place: str) -> dict[str, Any]:
    for key, value in entries.items():
        if key not in KEYS:
            close = get_close_matches(str(key), KEYS, 1)
            meant = f'did you mean "{close[0]}"? ' if close else ""
            raise InvalidInput(f'record: {place}: unknown key "{shown(str(key), 60)}"; {meant}{_allowed()}')
        if value is not None and not _excused(value):
            _check(key, value, place)
    return {key: value for key, value in entries.items() if value not in (None, "", [], {})}


def _check(key: str, value: Any, place: str) -> None:
    kinds = KEYS[key].kinds
    if not any(_IS[kind](value) for kind in kinds):
        wanted = " or ".join(kinds)
        raise InvalidInput(f'record: {place}: "{key}" must be {wanted} ({KEYS[key].meaning}), got a {_kind(value)}')
    entries = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else [value]
    if len(entries) > MOST_ENTRIES:
        raise InvalidInput(f'record: {place}: "{key}" has {len(entries):,} entries; at most {MOST_ENTRIES:,} are read')
    for entry in entries:  # a single value, or one level of them, such as the version and provider of a model
        parts = list(entry.values()) if isinstance(entry, Mapping) else [entry]
        if not all(part is None or isinstance(part, (str, int, float, dt.date)) for part in parts):
            raise InvalidInput(f'record: {place}: "{key}" is nested too deep; write texts and numbers')
        if any(isinstance(part, float) and not _is_number(part) for part in parts):
            raise InvalidInput(f'record: {place}: "{key}" holds a number that is not finite')
        if any(isinstance(part, str) and len(part) > MOST_CHARACTERS for part in parts):
            long = f"is longer than {MOST_CHARACTERS:,} characters; keep it in a file"
            raise InvalidInput(f'record: {place}: a text in "{key}" {long}')


def _excused(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != {NOT_APPLICABLE}:
        return False
    return isinstance(value[NOT_APPLICABLE], str) and bool(value[NOT_APPLICABLE].strip())


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


_IS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": _is_number,
    "whole": lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64,
    "date": lambda value: isinstance(value, dt.date),
    "yes or no": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, (list, tuple)),
    "mapping": lambda value: isinstance(value, Mapping),
}


def _kind(value: Any) -> str:
    if isinstance(value, float) and not _is_number(value):
        return "number that is not finite"
    names = {bool: "yes or no", str: "text", int: "number", float: "number", dict: "mapping", list: "list"}
    return names.get(type(value), type(value).__name__)


def _allowed() -> str:
    return f"allowed keys: {', '.join(KEYS)}"
