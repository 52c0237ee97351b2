"""Groups of options as parameters of a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from quorate.cli.options.groups import For, Group, command, only, options_of, spelled
from quorate.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Size(Group):
    n_items: Annotated[int, typer.Option(metavar="N", help="Items.")] = 3
    deep: Annotated[bool, For("votes"), typer.Option("--deep")] = False


@dataclass(frozen=True, kw_only=True)
class Named(Group):
    name: Annotated[str, typer.Option("--called")]
    n_items: Annotated[int, typer.Option(metavar="N", help="Items.")] = 3


@command
def run(place: Annotated[str, typer.Argument()], size: Size, named: Named) -> int:
    """Run it."""
    typer.echo(f"{place} {size} {named}")
    return 5


@command
def part(size: Annotated[Size, only("n_items")]) -> int:
    """A part of a group."""
    typer.echo(str(size))
    return 0


def made(*commands):
    app = typer.Typer(add_completion=False)
    for one in commands:
        app.command()(one)
    return app


def test_groups_become_options_and_come_back_as_values(capsys):
    app = made(run)
    code = app(["here", "--n-items", "7", "--deep", "--called", "x"], standalone_mode=False)
    assert code == 5
    assert capsys.readouterr().out == "here Size(n_items=7, deep=True) Named(name='x', n_items=7)\n"
    app(["--help"], standalone_mode=False)
    text = capsys.readouterr().out
    assert text.count("--n-items") == 1
    assert "Run it." in text


def test_an_option_without_a_default_is_required():
    with pytest.raises(Exception, match="name"):
        made(run)(["here"], standalone_mode=False)


def test_a_command_may_have_a_part_of_a_group(capsys):
    assert made(part)(["--n-items", "2"], standalone_mode=False) == 0
    assert capsys.readouterr().out == "Size(n_items=2, deep=False)\n"
    with pytest.raises(Exception, match="--deep"):
        made(part)(["--deep"], standalone_mode=False)


def test_what_is_given_and_for_what():
    assert Size().given() == {}
    assert Size(n_items=3, deep=True).given() == {"deep": True}
    assert Size(n_items=4, deep=True).given("votes") == {"deep": True}
    Size(n_items=4).refuse("votes", "for votes")
    Size(deep=True).refuse("votes", "for votes", but=("deep",))
    with pytest.raises(InvalidInput, match=r"^--deep: for votes$"):
        Size(deep=True).refuse("votes", "for votes")


def test_how_an_option_is_written():
    assert list(options_of(Size)) == ["n_items", "deep"]
    assert [spelled(Size, "n_items"), spelled(Named, "name")] == ["--n-items", "--called"]
