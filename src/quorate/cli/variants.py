"""`quorate variants`: other wordings of a prompt, drafted by a judge, to be read and used beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.console import console, print_json, say, whole
from quorate.cli.quoting import confirmed, money_span, span
from quorate.cli.run import INCOMPLETE, StudyFile, Yes
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.study.variants.plan import Draftable
    from quorate.study.variants.variants import Variants

Prompt = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which prompt of the study; needed if it has several.")
]
Number = Annotated[int, typer.Option("-n", "--number", metavar="N", help="Drafts, besides the original.")]
Judge = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which judge of the study writes them; needed if it has several.")
]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where to; prompts beside the study unless given.")]
Temperature = Annotated[float, typer.Option(metavar="T", help="Temperature of the call.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]


def variants(
    study: StudyFile,
    prompt: Prompt = None,
    number: Number = 4,
    judge: Judge = None,
    out: Out = None,
    temperature: Temperature = 0.9,
    force: Force = False,
    yes: Yes = False,
    as_json: reading.Json = False,
    _debug: reading.Debug = False,
) -> int:
    """Draft other wordings of a prompt, by a judge, for you to read.

    Only the instruction is worded anew: variables, the scale and the form of the answer stay. Drafts that change them
    are turned down. Says what it may cost before anything is sent. Exit codes: 0 all drafts are written; 2 fewer, or
    you said no; 1 failed to run, and nothing is written.
    """
    from quorate.study.variants.variants import carry_out

    if as_json and not yes:
        raise InvalidInput("--json: cannot ask you for a yes; add --yes")

    def answer(draftable: Draftable) -> bool:
        if not as_json:
            _show_quote(draftable)
        return yes or confirmed()

    found = carry_out(
        study, prompt=prompt, n=number, judge=judge, temperature=temperature, out=out, force=force, yes=answer
    )
    if found is None:
        return INCOMPLETE
    if as_json:
        print_json(_content(found))
    else:
        _show(study, found, number)
    return INCOMPLETE if found.shortfall else 0


def _show_quote(draftable: Draftable) -> None:
    out, quoted = console(), draftable.quote
    name = draftable.bounds.original.name
    say(
        out,
        f'{draftable.words} words of the prompt "{name}" to be worded anew {quoted.cells} times by {quoted.judge}; '
        "the rest stays.",
    )
    say(
        out,
        f"Calls {span(quoted.calls)}, tokens {span(quoted.tokens)}, money {money_span(quoted.money)} (low / expected / "
        f"high: every one of {draftable.ask.tries} tries). {_left(draftable)}",
    )


def _left(draftable: Draftable) -> str:
    left = draftable.left
    amounts = [
        None if left.calls is None else f"{left.calls:,} calls",
        None if left.money is None else f"{left.money:,.4f} in money",
    ]
    return f"At most what the budget has left: {' and '.join(filter(None, amounts))}. Every call counts in the ledger."


def _show(study: Path, found: Variants, wanted: int) -> None:
    out = console()
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


def _content(found: Variants) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "prompt": found.prompt,
        "judge": found.judge,
        "original": None if found.original is None else str(found.original),
        "files": {name: str(path) for name, path in found.files.items()},
        "settings": found.settings,
        "spend": asdict(found.spend),
        "shortfall": found.shortfall,
    }
