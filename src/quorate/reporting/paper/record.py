"""The study record, what judgments cannot say about how they were made; and the reporting checklist that it fills."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import about, shown, significant
from quorate.errors import InvalidInput
from quorate.estimate.components.model import CELL
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT, SYSTEM, TEMPERATURE
from quorate.table.columns.labels import ABSENT
from quorate.table.exchange.encoding import ordinary
from quorate.wording import capitalised, counted, decimals, listed, plural, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis

REPORTED, MISSING, NOT_APPLICABLE = "reported", "missing", "not applicable"
MINIMUM, STANDARD, COMPREHENSIVE, FURTHER = "minimum", "standard", "comprehensive", "further"
PROJECTED = "projected precision"
_LONGEST = 400
_MOST_NAMED = 10


@dataclass(frozen=True)
class ChecklistItem:
    """One thing that a report should state.

    Parameters
    ----------
    tier : {"minimum", "standard", "comprehensive", "further"}
        What any evaluation states, what a good one does, what one does whose scores are used further; and what is not
        in the paper's table.
    name : str
        What to state.
    status : {"reported", "missing", "not applicable"}
        Whether the data or the record say it.
    text : str
        What they say; what to write down; or why it does not apply.
    keys : tuple of str
        Keys of the study record where it belongs; none where the data say it.
    """

    tier: str
    name: str
    status: str
    text: str
    keys: tuple[str, ...] = ()


_Found = tuple[str, str]


def checklist(analysis: Analysis, record: Record | Mapping[str, Any] | str | None = None) -> tuple[ChecklistItem, ...]:
    """What a report on these judgments should state, and whether the data or the study record say it.

    Nothing is claimed that neither shows: a record that does not cover every judge or prompt of the data, or says
    another number of replicates, leaves its item missing with what to correct.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, Table 15.
    """
    written = study_record(record)
    items = []
    for tier, name, keys, find in _ITEMS:
        excuse = written.excuse(*keys) if keys else None
        status, text = (NOT_APPLICABLE, excuse) if excuse is not None else find(analysis, written)
        items.append(ChecklistItem(tier, name, status, shown(text, _LONGEST), keys))
    return tuple(items)


def missing(items: Iterable[ChecklistItem]) -> tuple[ChecklistItem, ...]:
    """Those that are missing."""
    return tuple(one for one in items if one.status == MISSING)


def prompt_text(analysis: Analysis, record: Record) -> _Found:
    """Exact texts of prompts: in the record, or in a file that it names, for every prompt of the data."""
    texts, place = record.says("prompts"), record.says("prompt_file")
    if texts is None and place is None:
        return _wanted("prompts", 'or name the file under "prompt_file"')
    if place is not None:
        return REPORTED, f"in {listed(map(str, place)) if isinstance(place, (list, tuple)) else place}{_system(record)}"
    gap = _uncovered(analysis, PROMPT, texts)
    if gap:
        return MISSING, f"prompts: {gap}"
    count = 1 if isinstance(texts, str) else len(texts)
    return REPORTED, f"{counted(count, 'text')} in the record{_system(record)}"


def _system(record: Record) -> str:
    return ", with the system prompt" if record.says("system_prompt") is not None else "; system prompt not recorded"


def judges(analysis: Analysis, record: Record) -> _Found:
    """Judges by model, version and provider, and when they judged."""
    models, dates = record.says("models"), record.says("dates")
    if models is None:
        levels = analysis.judgments.facet(JUDGE).levels if JUDGE in analysis.judgments.names else ()
        more = f" and {len(levels) - _MOST_NAMED} more" if len(levels) > _MOST_NAMED else ""
        named = ", ".join(shown(level, 40) for level in levels[:_MOST_NAMED])
        seen = f"; the data name {named}{more}" if levels else ""
        return _wanted("models", f'and the dates under "dates"{seen}')
    gap = _uncovered(analysis, JUDGE, models)
    if gap:
        return MISSING, f"models: {gap}"
    entries = models.items() if isinstance(models, Mapping) else [("", models)] if isinstance(models, str) else []
    said = [f"{label}: {_spelled(entry)}" if label else _spelled(entry) for label, entry in entries]
    said = said or [str(entry) for entry in models]
    if dates is None:
        return MISSING, f'write under "dates": {KEYS["dates"].meaning} (models are recorded: {"; ".join(said)})'
    days = dates.values() if isinstance(dates, Mapping) else dates if isinstance(dates, (list, tuple)) else [dates]
    return REPORTED, f"{'; '.join(said)}; judged {' to '.join(map(str, days))}"


def temperature(analysis: Analysis, record: Record) -> _Found:
    """Temperature, from the data or the record."""
    said = record.says("temperature")
    if TEMPERATURE in analysis.judgments.names:
        levels = analysis.judgments.facet(TEMPERATURE).levels
        if ABSENT in levels and said is None:
            return _wanted("temperature", "the data have judgments without one")
        return REPORTED, f"{listed(map(shown, levels[:_MOST_NAMED]))}, in the data"
    return _wanted("temperature") if said is None else (REPORTED, _spelled(said))


def sampling(_: Analysis, record: Record) -> _Found:
    """Top-p and top-k; one of them is enough, as most providers have one."""
    said = {name: record.says(name) for name in ("top_p", "top_k")}
    found = [f"{name.replace('_', '-')} {_spelled(value)}" for name, value in said.items() if value is not None]
    return (REPORTED, ", ".join(found)) if found else _wanted("top_p", 'or "top_k"; the default of the provider counts')


def _replications(analysis: Analysis, record: Record) -> _Found:
    """Judgments per cell, which the record may not contradict."""
    balance = analysis.support.facts.balance
    said = record.says("replicates")
    asked = int(analysis.judgments.rows.max())
    if said is not None and said != asked:
        return MISSING, f"replicates: the record says {said}, the data have up to {asked:,} rows per cell; correct one"
    span = f"{balance.most:,}" if balance.least == balance.most else f"{balance.least:,} to {balance.most:,}"
    return REPORTED, f"{span} usable of {asked:,} per cell"


def variants(analysis: Analysis, record: Record) -> _Found:
    """How many wordings there are, and where they come from."""
    count = analysis.judgments.n_levels(PROMPT) if PROMPT in analysis.judgments.names else 1
    made, original = record.says("prompt_variants"), record.says("original_prompt")
    if count < 2:
        return MISSING, "one prompt was used: at least two are needed to see what wording does"
    if made is None or original is None:
        keys = [key for key, said in (("prompt_variants", made), ("original_prompt", original)) if said is None]
        wanted = " and ".join(f'under "{key}": {KEYS[key].meaning}' for key in keys)
        return MISSING, f"{counted(count, 'variant')}; write {wanted}"
    whether = {True: "the first one among them", False: "the first one not among them"}.get(original, str(original))
    return REPORTED, f"{counted(count, 'variant')}, {whether}; {made}"


def sensitivity(analysis: Analysis, record: Record) -> _Found:
    """How far wordings differ."""
    said = record.says("prompt_sensitivity")
    if not analysis.several(PROMPT):
        return (REPORTED, said) if said is not None else _wanted("prompt_sensitivity", "or judge with two prompts")
    found = {one.name: one for one in analysis.fit.components}
    if PROMPT not in found:
        reason = analysis.effects_reasons.get(PROMPT, "the prompt component cannot be told apart from others")
        return MISSING, f"assessed, without a result: {reason}"
    prompt, share = found[PROMPT], analysis.widest.shares.get(PROMPT, 0.0)
    if prompt.kind == "random" and prompt.variance <= 0:
        return REPORTED, "assessed; the prompt variance is estimated at zero, the boundary, which is not proof of none"
    size = significant(prompt.variance**0.5, 2)
    return REPORTED, f"assessed; prompts differ by a standard deviation of {size}, {whole_percent(share)} of Var(mean)"


def _infrastructure(_: Analysis, record: Record) -> _Found:
    """How models were run: quantization, serving, batch size."""
    keys = ("quantization", "serving", "batch_size")
    said = [f"{key.replace('_', ' ')}: {_spelled(record.says(key))}" for key in keys if record.says(key) is not None]
    left = [key for key in keys if record.says(key) is None and record.excuse(key) is None]
    if left:
        wanted = listed([f'"{key}"' for key in left])
        return MISSING, f"write under {wanted}, or why they do not apply" + (f" ({'; '.join(said)})" if said else "")
    return REPORTED, "; ".join(said)


def decomposition(analysis: Analysis, _: Record) -> _Found:
    """Variance components over judges, prompts and temperatures."""
    sampled = [name for name in (JUDGE, PROMPT, TEMPERATURE) if analysis.several(name)]
    if not sampled:
        return MISSING, "only one judge, prompt and temperature: their variances cannot be estimated"
    parts = [f"{shown(one.name, 40)} {significant(one.variance, 2)}" for one in analysis.fit.components]
    sums = [" + ".join(sorted(names)) for names in analysis.fit.aliases if names != {CELL, "replicate"}]
    note = f"; only as a sum: {'; '.join(sums)}" if sums else ""
    return REPORTED, f"over {listed(map(plural, sampled))}: {', '.join(parts)}{note}"


def projection(analysis: Analysis, _: Record) -> _Found:
    """The standard error, what most of it comes from, and what other designs would give."""
    known = [one for one in analysis.what_if if one.projection is not None]
    if not known or not analysis.sources:
        return MISSING, "these data do not say what another design would give"
    largest = analysis.sources[0]
    now = significant(analysis.setup.se, 2)
    return REPORTED, (
        f"standard error {now}, {whole_percent(largest.share)} of its square from {largest.component}; "
        f"{counted(len(known) - 1, 'other design')} projected"
    )


def rationale(analysis: Analysis, record: Record) -> _Found:
    """Why this design, and why its precision is enough."""
    if record.says("rationale") is not None:
        return REPORTED, str(record.says("rationale"))
    if analysis.several(SYSTEM):  # whose mean is not what is asked
        return _wanted("rationale")
    found = analysis.estimate
    return _wanted("rationale", f"the interval is {about(found, decimals(found.half_width))}; say why that is enough")


def missingness(analysis: Analysis, _: Record) -> _Found:
    """Rows without a usable score."""
    facts, absent = analysis.support.facts, analysis.fit.assembled.missing
    rows = facts.answers + absent
    if not absent:
        return REPORTED, f"every one of {counted(rows, 'row')} has a usable score"
    found = [f"{one.rows:,} {one.name}" for one in facts.statuses if one.name != "ok"]
    statuses = f" ({', '.join(found)})" if facts.rows == rows else ""  # a fit alone forgets cells without any answer
    return REPORTED, f"{absent:,} of {rows:,} rows without a usable score{statuses}"


def _written(key: str) -> Callable[[Analysis, Record], _Found]:
    """Finds what only a record can say."""

    def find(_: Analysis, record: Record) -> _Found:
        said = record.says(key)
        return _wanted(key) if said is None else (REPORTED, _spelled(said))

    return find


def _wanted(key: str, more: str = "") -> _Found:
    return MISSING, f'write under "{key}": {KEYS[key].meaning}' + (f". {capitalised(more)}" if more else "")


def _uncovered(analysis: Analysis, facet: str, entries: Any) -> str:
    """What the record leaves out of the levels of a facet; nothing where it covers them."""
    if facet not in analysis.judgments.names:
        return ""
    levels = analysis.judgments.facet(facet).levels
    if isinstance(entries, Mapping):
        labels = {str(label) for label in entries}
        left = [shown(level, 40) for level in levels if level not in labels]
        if not left:
            return ""
        more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        return f"nothing recorded for {', '.join(left[:_MOST_NAMED])}{more}"
    count = 1 if isinstance(entries, str) else len(entries)
    if count == len(levels):
        return ""
    return f"{count} recorded, the data have {len(levels):,}; write a mapping from the labels in the data"


def _spelled(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_spelled(part)}" for name, part in value.items() if part is not None)
    return ", ".join(map(_spelled, value)) if isinstance(value, (list, tuple)) else str(value)


_ITEMS: tuple[tuple[str, str, tuple[str, ...], Callable[[Analysis, Record], _Found]], ...] = (
    (MINIMUM, "exact prompt texts", ("prompts",), prompt_text),
    (MINIMUM, "judges: model, version, provider, date", ("models",), judges),
    (MINIMUM, "temperature", ("temperature",), temperature),
    (MINIMUM, "top-p and top-k", ("top_p", "top_k"), sampling),
    (MINIMUM, "judgments per cell", ("replicates",), _replications),
    (MINIMUM, "from answer to score", ("parsing",), _written("parsing")),
    (STANDARD, "prompt variants and their origin", ("prompt_variants",), variants),
    (STANDARD, "sensitivity to wording", ("prompt_sensitivity",), sensitivity),
    (STANDARD, "how models were run", ("quantization", "serving", "batch_size"), _infrastructure),
    (COMPREHENSIVE, "variance components", (), decomposition),
    (COMPREHENSIVE, PROJECTED, (), projection),
    (COMPREHENSIVE, "why this design", ("rationale",), rationale),
    (FURTHER, "missing judgments", (), missingness),
    (FURTHER, "origin of the items", ("items",), _written("items")),
    (FURTHER, "comparison with people", ("human_validation",), _written("human_validation")),
    (FURTHER, "seed of record", ("seed",), _written("seed")),
)


MOST_BYTES = 1_000_000
_DEEPEST = 10
MOST_CHARACTERS = 100_000
MOST_ENTRIES = 10_000


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
