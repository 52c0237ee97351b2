"""A study file as YAML, and what is wrong with it in one line."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from quorate.errors import InvalidInput

_SHOWN = 60
_MOST_BYTES = 4 * 1024 * 1024


class _Loader(yaml.SafeLoader):
    """YAML in which a key stands once, and without aliases, which can make a small file huge."""

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
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f'"{key.value}" is given twice', problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def parsed(path: Path) -> dict[str, Any]:
    """The content of a YAML file that is a mapping.

    Raises
    ------
    InvalidInput
        If it cannot be read or is something else.
    """
    if path.is_dir():
        raise InvalidInput(f"study: {path} is a folder; name a file in it")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(f"study: {path} is larger than 4 MB; name the study file, not the items")
        content = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_Loader)  # noqa: S506  (a safe loader)
    except OSError as error:
        raise InvalidInput(f"study: {path} cannot be read ({error.strerror}); quorate init writes one") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"study: {path} is not UTF-8 text; save it as UTF-8") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidInput(f"study: {path} is not YAML: {_problem(error)}") from None
    if not isinstance(content, dict):
        raise InvalidInput(f"study: {path} holds no settings such as items, judges, prompts; quorate init writes some")
    return content


def first_problem(errors: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> str:
    """The first thing that is wrong, by its place in the file, what it is, and how many others there are.

    Parameters
    ----------
    errors : sequence of mapping
        As pydantic lists them.
    kinds : sequence of str
        Kinds of judges, which pydantic adds to the places.
    """
    first = min(errors, key=lambda error: _ORDER.get(error["type"], 1))
    place = _place(first["loc"], kinds)
    said = _said(first, kinds)
    more = f" (and {len(errors) - 1} more to repair)" if len(errors) > 1 else ""
    return f"{place}: {said}{more}" if place else f"{said}{more}"


_ORDER = {"extra_forbidden": 0}


def _place(loc: Sequence[str | int], kinds: Sequence[str]) -> str:
    parts = [part for at, part in enumerate(loc) if not (loc[0] == "judges" and at == 2 and part in kinds)]
    names = [f"[{part}]" if isinstance(part, int) else f".{_shown(part)[1:-1]}" for part in parts if part != "[key]"]
    return "".join(names).lstrip(".")


def _said(error: Mapping[str, Any], kinds: Sequence[str]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return "is missing; give it"
    if kind == "extra_forbidden":
        return f"there is no such setting{_meant(str(error['loc'][-1]))}; leave it out"
    if kind == "value_error":
        return str(context["error"])
    if kind == "union_tag_not_found":
        return f"kind is missing; one of {', '.join(kinds)}"
    if kind == "union_tag_invalid":
        return f"kind must be one of {', '.join(kinds)}, got {_shown(context.get('tag'))}"
    words = str(error["msg"])
    return f"{words[:1].lower()}{words[1:]}, got {_shown(error.get('input'))}"


_SETTINGS = (
    *("items", "judges", "prompts", "temperatures", "order", "replicates", "layout", "adaptive", "budget", "tries"),
    *("seed", "ledger", "file", "id", "category", "system", "price", "concurrency", "rate", "base_url", "model"),
    *("key_env", "key_header", "params", "structured", "timeout", "headers", "query", "table", "built_in", "scale"),
    *("calls", "money", "per_item", "places", "pilot", "batch", "target"),
    *("objective", "between", "tolerance", "decide", "cycle", "weights", "variances", "variant", "interval"),
)


def _meant(name: str) -> str:
    if name.casefold() in ("key", "api_key", "token", "secret"):
        return "; never write a key here, name its environment variable in key_env"
    close = get_close_matches(name, [one for one in _SETTINGS if one != name], 1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    text = re.sub(r"://[^\s/]*@", "://...@", " ".join(repr(value).split()))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    line = "" if mark is None else f"line {mark.line + 1}: "
    return line + " ".join(str(getattr(error, "problem", None) or error).split())
