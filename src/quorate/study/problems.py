"""Problems of a study file: YAML that cannot be read, and what breaks a rule, each in one line."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from quorate.errors import InvalidInput
from quorate.table.exchange.encoding import ordinary
from quorate.table.files import SUFFIXES

_SHOWN = 60
_DATA = frozenset({*SUFFIXES, ".db", ".gz", ".json"})
_MOST_BYTES = 256 * 1024
"""Read in a second or two; the greatest studies there are take a tenth."""

_OLD_NUMBER = re.compile(r"[-+]?(0[0-9_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
"""What YAML 1.1 takes for an octal number or one to the base of 60, and most people do not."""

_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")
_MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """YAML in which a key stands once, without what makes a small file huge, and with numbers as they are read aloud.

    Aliases and merged keys are refused, and so are numbers that YAML takes for others: 0100 is 64 there, 1:30 is 90.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        plain = isinstance(node, yaml.ScalarNode) and node.style is None
        if plain and node.tag.endswith((":int", ":float")) and _OLD_NUMBER.fullmatch(node.value):
            problem = (
                f"{node.value[:_SHOWN]} is another number in YAML; write it in full, or in quotation marks if a text"
            )
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return super().construct_object(node, deep)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            at = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not used here; write it out", problem_mark=at)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a name must be a text", problem_mark=key.start_mark)
            if key.tag == _MERGE:
                raise yaml.MarkedYAMLError(problem='"<<" is not used here; write it out', problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f'"{key.value}" is given twice', problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))


def belonging(given: Any, elsewhere: Mapping[str, str]) -> Any:
    """The values of a section, where none of them stands elsewhere in a study file.

    Raises
    ------
    ValueError
        With the reason, if one does.
    """
    for name, why in elsewhere.items():
        if isinstance(given, Mapping) and name in given:
            raise ValueError(f"{name}: {why}")
    return given


def parsed(path: Path) -> dict[str, Any]:
    """The content of a YAML file that is a mapping.

    Raises
    ------
    InvalidInput
        If it cannot be read or is something else.
    """
    if path.suffix.lower() in _DATA:
        raise InvalidInput(f"study: {path} holds data; expects a study file in YAML; quorate init writes one")
    try:
        if ordinary(path).is_dir():
            raise InvalidInput(f"study: {path} is a folder; name a file in it")
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(f"study: {path} is larger than 256 kB; name the study file, not the items")
        content = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_Loader)  # noqa: S506  (a safe loader)
    except OSError as error:
        raise InvalidInput(f"study: {path} cannot be read ({error.strerror}); quorate init writes one") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"study: {path} is not UTF-8 text; save it as UTF-8") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f"line {mark.line + 1}: "
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise InvalidInput(f"study: {path} is not YAML: {line}{problem}") from None
    if not isinstance(content, dict):
        raise InvalidInput(f"study: {path} holds no settings such as items, judges, prompts; quorate init writes some")
    return content


def first_problem(errors: Sequence[Mapping[str, Any]], kinds: Sequence[str], settings: Collection[str] = ()) -> str:
    """The first thing that is wrong, by its place in the file, what it is, and how many others there are."""
    first = min(errors, key=lambda error: _ORDER.get(error["type"], 1))
    named = first["type"] == "string_type" and first["loc"][-1] == "[key]"
    loc = first["loc"][:-2] if named else first["loc"]
    parts = [part for at, part in enumerate(loc) if not (loc[0] == "judges" and at == 2 and part in kinds)]
    names = [f"[{part}]" if isinstance(part, int) else f".{_shown(part)[1:-1]}" for part in parts if part != "[key]"]
    place = "".join(names).lstrip(".")
    more = f" (and {len(errors) - 1} more to repair)" if len(errors) > 1 else ""
    return f"{f'{place}: ' if place else ''}{_problem(first, kinds, settings)}{more}"


_ORDER = {"extra_forbidden": 0}


def _problem(error: Mapping[str, Any], kinds: Sequence[str], settings: Collection[str]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return "is missing; give it"
    if kind == "extra_forbidden":
        name = str(error["loc"][-1])
        if name.casefold() in ("key", "api_key", "token", "secret"):
            fix = "never write a key here, name its environment variable in key_env"
        else:
            close = get_close_matches(name, [setting for setting in settings if setting != name], 1)
            fix = f'did you mean "{close[0]}"?' if close else "leave it out"
        return f"there is no such setting; {fix}"
    if kind == "value_error":
        return str(context["error"])
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        must = "is missing;" if kind == "union_tag_not_found" else "must be"
        got = "" if kind == "union_tag_not_found" else f", got {_shown(context.get('tag'))}"
        return f"kind {must} one of {', '.join(kinds)}{got}"
    if kind != "literal_error":
        return _wrong_type(error)
    names = re.findall(r"'([^']+)'", str(context["expected"]))
    names += ["all-judges"] if "factorial" in names else []
    close = get_close_matches(str(error.get("input")), names, 1, 0.7)
    meant = f'; did you mean "{close[0]}"?' if close else ""
    return f"must be one of {', '.join(names)}, got {_shown(error.get('input'))}{meant}"


def _wrong_type(error: Mapping[str, Any]) -> str:
    """What must stand there, with an example, what stands there, and what to do with it."""
    kind, loc, got = error["type"], error["loc"], error.get("input")
    named = loc[-1] == "[key]"
    within = _WITHIN.get(loc[-2]) if len(loc) > 1 else None
    example = None if named else _EXAMPLES.get(loc[-1]) or within
    such = f", such as {example}" if example else ""
    given = "nothing" if got is None or got in ("", [], {}) else _shown(got)
    quoting = ""
    if kind == "string_type" and isinstance(got, (int, float, date)):  # which YAML takes for something else
        quoting = f'; write "{_shown(got)}" in quotation marks'
    elif kind in _TYPES and isinstance(got, str) and re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", got.strip()):
        quoting = "; write it without quotation marks"
    context = error.get("ctx", {})
    if kind in _BOUNDS:
        limit = next(value for name, value in context.items() if name in ("ge", "gt", "le", "lt"))
        wanted = f"{_BOUNDS[kind]} {limit:,}" if isinstance(limit, int) else f"{_BOUNDS[kind]} {limit:,.10g}"
    elif kind == "too_short":
        least = context["min_length"]
        wanted = "more than nothing" if least == 1 else f"a list of at least {least}"
    elif kind == "too_long":
        wanted = f"a list of at most {context['max_length']}"
    else:
        wanted = _TYPES.get(kind, "of another kind") + (_SHORT.get(loc[-1], "") if len(loc) == 1 else "")
    return f"{'a name ' if named else ''}must be {wanted}{such}, got {given}{quoting}"


_BOUNDS = {
    "greater_than_equal": "at least",
    "greater_than": "greater than",
    "less_than_equal": "at most",
    "less_than": "less than",
}
_TYPES = {
    **dict.fromkeys(("model_type", "dict_type", "model_attributes_type", "mapping_type"), "a mapping"),
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a finite number"),
    "list_type": "a list",
    "string_type": "a text",
    "string_too_short": "a text of at least one character",
    "bool_type": "true or false",
}
_SHORT: Mapping[str | int, str] = {
    "items": " or the name of a file",
    "layout": " or the name of a layout",
    "prompts": " or a list of built-in prompts",
}
_EXAMPLES: Mapping[str | int, str] = {
    "items": "items: items.jsonl",
    "file": "file: items.jsonl",
    "budget": "budget: {calls: 1000}",
    "calls": "calls: 1000",
    "money": "money: 2.5",
    "price": "price: {input: 0.5, output: 1.5}, or price: {call: 0.001}",
    "judges": "judges: {mine: {kind: endpoint, base_url: https://example.com/v1, model: some-model}}",
    "prompts": "prompts: [score]",
    "temperatures": "temperatures: [0, 0.7]",
    "replicates": "replicates: 2",
    "scale": "scale: [1, 10]",
    "labels": "labels: {good: 1, bad: 0}",
    "layout": "layout: all-judges",
    "adaptive": "adaptive: {name: robin-hood}",
    "battles": "battles: {criterion: A}",
    "goal": "goal: {compare: [x, y], margin: 0.2}",
    "compare": "compare: [x, y]",
    "prefer": "prefer: [x, y]",
    "target": "target: {judge: population}",
    "looks": "looks: 5",
    "params": "params: {max_tokens: 100}",
    "headers": "headers: {X-Name: some text}",
    "query": "query: {version: some text}",
    "places": "places: {mine: 2}",
    "timeout": "timeout: 60",
    "ledger": "ledger: study.db",
}
_WITHIN: Mapping[str | int, str] = {
    "judges": "{kind: endpoint, base_url: https://example.com/v1, model: some-model}",
    "prompts": "{built_in: score}",
    "temperatures": "0.7",
    "labels": "1",
    "scale": "1",
}


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    written = value.isoformat() if isinstance(value, date) else repr(value)
    text = re.sub(r"://[^\s/]*@", "://...@", " ".join(written.split()))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
