"""Write ``cli.md``, the page of the command line, from the commands themselves: `make docs` does, before the site."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import typer

from quorate.cli.entry import program

PAGE = Path(__file__).with_suffix(".md")
FILE = "FILE"
INTRODUCTION = """\
# Command line

Columns are recognised by their usual names ([Data](../data.md)); the options under
[Reading a file](#reading-a-file) are for those that are not. Every command takes `--json`, and every error is one line.
"""


def page() -> str:
    """The page as it should be."""
    quorate = program()
    every = dict(quorate.commands)
    commands = {name: records(command) for name, command in every.items()}
    shared = common(commands)
    parts = [INTRODUCTION, f"{text(quorate.epilog)}\n"]
    parts += [section(name, every[name], found, shared) for name, found in commands.items()]
    parts.append(f"## Reading a file\n\nFor every command that takes `{FILE}`.\n\n{listed(shared)}")
    return "\n".join(parts)


def records(command: Any) -> dict[str, str]:
    """What each argument and option is called, and what it does."""
    context = typer.Context(command)
    found = [parameter.get_help_record(context) for parameter in command.params]
    return dict(record for record in found if record is not None)


def common(commands: dict[str, dict[str, str]]) -> dict[str, str]:
    """Options of all commands that read a file."""
    reading = [found for found in commands.values() if any(is_file(name) for name in found)]
    first, *others = reading
    same = {name: help_ for name, help_ in first.items() if all(other.get(name) == help_ for other in others)}
    return {name: help_ for name, help_ in same.items() if not is_file(name)}


def is_file(name: str) -> bool:
    """Whether this is the argument that names the judgments."""
    return name.split(maxsplit=1)[0] == FILE


def section(name: str, command: Any, found: dict[str, str], shared: dict[str, str]) -> str:
    """One command: what it is for, and what is its own."""
    own = {option: help_ for option, help_ in found.items() if option not in shared}
    reads = any(is_file(option) for option in found)
    usage = f"`quorate {name}{f' {FILE}' if reads else ''} [options]`"
    more = ["Also all of [Reading a file](#reading-a-file).\n"] if reads else []
    return "\n".join([f"## quorate {name}\n", f"{text(command.help)}\n", f"{usage}\n", listed(own), *more])


def listed(found: dict[str, str]) -> str:
    """Options as a list: it fits a narrow page."""
    return "".join(f"- `{name}`: {text(help_)}\n" for name, help_ in found.items())


def text(words: str) -> str:
    """Words of a help text, for Markdown."""
    return escape(" ".join(words.split()), quote=False).replace("*", r"\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
