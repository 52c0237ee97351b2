"""Options that public functions declare; run as a script, it writes what the command line keeps of them."""

from __future__ import annotations

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import quorate as q
from quorate import cli
from quorate.cli.spelling import flag_of
from quorate.cli.verbs import VERBS

COMMANDS = Path(cli.__file__).parent
PLACE = COMMANDS / "options" / "declared.json"
MOST = 200
"""Characters of the help of an option."""
SORTS = {
    r"bool": "bool",
    r"int( or (numpy\.random\.Generator|sequence of str))?|numpy\.random\.Generator or int": "int",
    r"float": "float",
    r"str": "str",
    r"path": "path",
    r"\{.*\}": "choice",
    r"(str or )?(sequence|collection|iterable) of (str|\{.*\})": "names",
    r"sequence of int": "numbers",
    r"mapping of str to str": "pairs",
    r"mapping of str to int": "counts",
    r"mapping of str to str or Pool": "targets",
    r"mapping of str to float": "amounts",
    r"mapping of str to int, or sequence of int": "sizes",
    r"mapping of str to float, or sequence of float": "shares",
    r"float or mapping of str to float": "each or one",
    r"float or \(float, float\)": "one or two",
}
"""Kinds of options, by the types of parameters in docstrings."""


EXAMPLE = re.compile(r"(?<=such as )[\w.]*[=,]?[\w.,=]*\w")
"""What is typed, where the help of an option gives an example."""
NOUN = re.compile(r"\b(column|role|facet|folder|file)s?\b", re.IGNORECASE)
"""What a text names, by the first of these words in its help."""
ROLES = re.compile(r"(votes: )?(role|facet)s?\b", re.IGNORECASE)
"""How the help of an option begins that asks for a role: names of columns stand for it."""
OF = re.compile(r"(Votes|Scores|Labels): ")
"""How the help of an option begins that is for one kind of table alone."""


def named(path: str) -> Any:
    """The function that a command names, or a docstring."""
    if ":" in path:
        module, _, name = path.partition(":")
        return getattr(import_module(module), name)
    parts = path.removeprefix("quorate.").split(".")
    found = getattr(q, parts[0], None) or getattr(q.types, parts[0])
    for part in parts[1:]:
        found = getattr(found, part)
    return found


def documented(function: Any) -> dict[str, tuple[str, str]]:
    """Type and description of every parameter."""
    text = inspect.getdoc(function) or ""
    part = re.search(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-{3,}|\Z)", text, re.DOTALL)
    found = {}
    for head, body in re.findall(r"^(\S.*)\n((?:(?: .*)?(?:\n|\Z))*)", part[1] + "\n" if part else "", re.MULTILINE):
        names, _, sort = head.partition(" : ")
        for name in names.split(", "):
            found[name] = sort.removesuffix(", optional"), " ".join(body.split())
    return found


def resolved(function: Any, name: str) -> tuple[str, str]:
    """The same, of the function that it is as for."""
    sort, text = documented(function)[name]
    alike = re.match(r"((?:Votes|Scores): )?[Aa]s for `([\w.]+)`", text)
    if alike is None:
        return sort, text
    known, said = resolved(named(alike[2]), name)
    use = alike[1] or ""
    return sort or known, said if said.startswith(use) else use + said[:1].lower() + said[1:]


def helped(text: str, names: Any) -> str:
    """The first sentence and what the default is, in the words of the command line."""
    first, *others = re.split(r"(?<=[.])\s+(?=[A-Z`])", text)
    said = " ".join([first, *(one for one in others if re.match(r"(Default|By default)\b", one))][:2])
    said = re.sub(r'``\{"(\w+)": "?(\w+)"?\}``', r"\1=\2", said).replace("``()``", "none")
    said = re.sub(r"``(\w+)``", lambda found: flag_of(found[1]) if found[1] in names else found[1], said)
    return worded(said).replace("Seed or generator", "Seed")


def worded(text: str) -> str:
    """Text without the marks of docstrings."""
    text = re.sub(r'``"?(.*?)"?``', r"\1", text)
    text = re.sub(r"`quorate\.(\w+)`", lambda found: f"quorate {found[1]}" if found[1] in VERBS else found[1], text)
    return re.sub(r"`(.*?)`", r"\1", text)


def spec(path: str) -> dict[str, Any]:
    """What the command line keeps of a function."""
    function = named(path)
    parameters = inspect.signature(function).parameters
    kept: dict[str, Any] = {}
    takes = ""
    for name, parameter in parameters.items():
        sort, text = resolved(function, name)
        kind = next((kind for pattern, kind in SORTS.items() if re.fullmatch(pattern, sort)), None)
        if kind is None:
            takes = takes or (sort if not kept else "")
            continue
        one: dict[str, Any] = {"kind": kind, "help": helped(text, parameters)}
        example, noun, of = EXAMPLE.search(one["help"]), NOUN.search(one["help"]), OF.match(one["help"])
        one |= {"example": example[0]} if example else {}
        one |= {"noun": noun[1].upper()} if noun else {}
        one |= {"of": of[1].lower()} if of else {}
        one |= {"role": True} if kind in ("str", "names") and ROLES.match(one["help"]) else {}
        if kind == "choice":
            one["choices"] = re.findall(r'"([^"]+)"', sort)
        default = parameter.default
        if default is not parameter.empty:
            default = list(default) or None if isinstance(default, tuple) else default
            one["default"] = None if default in (float("inf"), None) else default
        kept[name] = one
    more = re.split(r"\n\nParameters\n-+", inspect.getdoc(function) or "")[0].partition("\n\n")[2]
    return {"takes": takes, "more": worded(more.split("\n\n")[0].replace("\n", " ")), "parameters": kept}


def paths() -> list[str]:
    """Functions that commands name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(COMMANDS.rglob("*.py"))]
    return sorted({found for text in texts for found in re.findall(r'"(quorate(?:\.\w+)+:\w+)"', text)})


def content() -> str:
    """The whole file."""
    return json.dumps({path: spec(path) for path in paths()}, indent=1, ensure_ascii=False) + "\n"


def test_the_options_are_those_of_the_functions():
    assert PLACE.read_text(encoding="utf-8") == content(), (
        f"run python {Path(__file__).name}, which writes {PLACE.name}"
    )


@pytest.mark.parametrize("path", paths())
def test_help_is_a_sentence(path):
    long = {name: one["help"] for name, one in spec(path)["parameters"].items() if len(one["help"]) > MOST}
    assert not long


if __name__ == "__main__":
    PLACE.write_text(content(), encoding="utf-8")
