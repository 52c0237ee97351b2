"""`quorate init --variants`: other wordings of a prompt, drafted by a judge, to be read and used beside the first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.collect.quoting import INCOMPLETE, StudyFile, Yes, asked_at, confirmed, money_span, span
from quorate.cli.console import console, say, whole
from quorate.cli.options import Output, command
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.study.variants import Draftable, Variants


@command
def variants(
    study: StudyFile,
    prompt: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which prompt of the study; needed if it has several.")
    ] = None,
    number: Annotated[int, typer.Option("-n", "--number", metavar="N", help="Drafts, besides the original.")] = 4,
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which judge of the study writes them; needed if it has several."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where to; prompts beside the study unless given."),
    ] = None,
    temperature: Annotated[float, typer.Option(metavar="T", help="Temperature of the call.")] = 0.9,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
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
