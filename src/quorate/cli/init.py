"""`quorate init`: a study file to begin with, and other wordings of its prompt."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.asking import INCOMPLETE, StudyFile, Yes, asked_at, confirmed, money_span, span
from quorate.cli.console import console, print_json, say, whole
from quorate.cli.options import Output, command, operand, option
from quorate.errors import InvalidInput
from quorate.writing import write_file

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.study.variants import Draftable, Variants


STUDY, EXAMPLE = "study.yaml", "smollm2"


@command
def init(
    path: Path | None = operand(
        "PATH",
        f"What to write, which must not be there yet: {STUDY}; with --example the folder {EXAMPLE}.",
        writable=True,
    ),
    example: bool = option("", "Write a whole study with a small local model, and the answers it gave.", default=False),
    recipe: Literal["ailuminate", "arena", "goal", "mmlu", "people"] | None = option(
        "",
        "Write a study of a published design (safety of responses, which of two is better, right answers), "
        "one that stops once its goal is reached, or one that people answer.",
    ),
    schema: bool = option("", "Print the JSON Schema of study files, for an editor.", default=False),
) -> int:
    """Write a study file with comments, to change into your own.

    Two items are written beside it, so that it can be quoted as it is. With --example, a folder: 36 items, three
    prompts, a study that asks a small model on this machine, and one that replays the answers which it gave.
    """
    if schema and (path is not None or example or recipe):
        raise InvalidInput("--schema: is printed, and nothing is written; leave out the path and other options")
    if example and recipe:
        raise InvalidInput("--example: is a whole study with its answers, --recipe a design; give one of them")
    out, home = console(), files("quorate.study").joinpath("example")
    if schema:
        from quorate.study.file import schema as schema_of

        print_json(schema_of())
    elif example:
        folder = path or Path(EXAMPLE)
        sources = {folder / one.name: one for one in home.joinpath(EXAMPLE).iterdir() if one.is_file()}
        _refuse_what_is_there(folder)
        folder.mkdir()
        write(sources)
        say(out, f"Written: {folder}: {', '.join(sorted(place.name for place in sources))}")
        whole(out, f"With the model: quorate run {folder / STUDY} --quote")
        whole(out, f"Without it, from the recorded answers: quorate run {folder / 'replay.yaml'} --quote")
    else:
        place = path or Path(STUDY)
        if recipe is not None:
            home = home.joinpath("recipes", recipe)
        beside = sorted(
            (one for one in home.iterdir() if one.is_file() and one.name != STUDY), key=lambda one: one.name
        )
        sources = {place: home.joinpath(STUDY)} | {place.with_name(one.name): one for one in beside}
        if len(sources) <= len(beside):
            raise InvalidInput(f"path: {place.name} is the name of a file that is written beside it; choose another")
        write(sources)
        say(out, f"Written: {', '.join(map(str, sources))}")
        whole(out, f"What it may cost: quorate run {place} --quote")
        if recipe == "people":
            whole(out, f"To let people answer: quorate serve {place}")
    return 0


def write(wanted: Mapping[Path, Traversable]) -> None:
    """Write files, none of which is there."""
    _refuse_what_is_there(*wanted)
    for place, source in wanted.items():
        write_file(place, source.read_bytes())


def _refuse_what_is_there(*places: Path) -> None:
    """Refuse to write over anything."""
    for place in places:
        if place.exists():
            raise InvalidInput(f"path: {place} is there already; choose another place, or remove it")


@command
def variants(
    study: StudyFile,
    prompt: str | None = option("NAME", "Which prompt of the study; needed if it has several."),
    number: Annotated[int, typer.Option("-n", "--number", metavar="N", help="Drafts, besides the original.")] = 4,
    judge: str | None = option("NAME", "Which judge of the study writes them; needed if it has several."),
    folder: Path | None = option("FOLDER", "Where to; prompts beside the study unless given.", "--out"),
    temperature: float = option("T", "Temperature of the call.", default=0.9),
    force: bool = option("", "Overwrite files that are there.", default=False),
    yes: Yes = False,
    *,
    out: Output,
) -> int:
    """Draft other wordings of a prompt, by a judge, for you to read.

    Only the instruction is worded anew: variables, the scale and the form of the answer stay. Drafts that change them
    are turned down. Says what it may cost before anything is sent. Exit codes: 0 all drafts are written; 2 fewer, or
    you said no; 1 failed to run, and nothing is written.
    """
    from quorate.study.variants import carry_out

    if out.as_json and not yes:
        raise InvalidInput("--json: cannot ask you for a yes; add --yes")

    def answer(draftable: Draftable) -> bool:
        if not out.as_json:
            show_quote(console(), draftable)
        return yes or confirmed()

    found = carry_out(
        study, prompt=prompt, n=number, judge=judge, temperature=temperature, out=folder, force=force, yes=answer
    )
    if found is None:
        return INCOMPLETE
    out.typeset(found, lambda screen, found: show(screen, study, found, number))
    return INCOMPLETE if found.shortfall else 0


def show_quote(out: Console, draftable: Draftable) -> None:
    """Print what drafting may cost."""
    quoted, left = draftable.quote, draftable.left
    amounts = [
        None if left.calls is None else f"{left.calls:,} calls",
        None if left.money is None else f"{left.money:,.4f} in money",
    ]
    say(
        out,
        f'{draftable.words} words of the prompt "{draftable.bounds.original.name}" to be worded anew {quoted.cells} '
        f"times by {quoted.judge}; the rest stays.",
    )
    say(
        out,
        f"Calls {span(quoted.calls)}, tokens {span(quoted.tokens)}, money {money_span(quoted.money)} (low / expected / "
        f"high: every one of {draftable.ask.tries} tries). At most what the budget has left: "
        f"{' and '.join(filter(None, amounts))}. Every call counts in the ledger.",
    )
    if where := asked_at(draftable.judge, draftable.study.judges[draftable.judge]):
        say(out, where)


def show(out: Console, study: Path, found: Variants, wanted: int) -> None:
    """Print which drafts are written, and how they are used."""
    say(out, "Written:")
    for path in filter(None, (found.original, *found.files.values())):
        whole(out, f"  {path}")
    if found.shortfall:
        say(out, f"{len(found.files)} of {wanted} drafts could be used; the last one could not: {found.shortfall}.")
    unknown = f", {found.spend.unpriced:,} of them of unknown price" if found.spend.unpriced else ""
    say(out, f"Spent: {found.spend.calls:,} calls{unknown}; {found.spend.money:,.4f} in money.")
    say(
        out,
        "Read them: nobody has checked that they mean the same. "
        f"Those that do go into {study}, in place of its prompts:",
    )
    for line in found.settings.splitlines():
        whole(out, line)
