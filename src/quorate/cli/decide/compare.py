"""`quorate compare`: the verdict on two systems or on all pairs, from scores or from votes."""

from __future__ import annotations

from typing import Annotated

import typer

from quorate.cli.options import Declared, File, Files, Output, Prices, Reading, Within, command, of, only
from quorate.cli.options.declared import parameters_of
from quorate.cli.options.groups import spelled
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.errors import InvalidInput

ALL = "quorate.decide.all_pairs:compare_all"
OWN = of("quorate.decide.all_pairs:compare", "a", "b")
EVERY = of(ALL, *(name for name in parameters_of(ALL) if name != "minimum"))


@command
def compare(
    file: File,
    a: Annotated[
        str | None,
        typer.Argument(metavar="A", help="A system; the verdict is about it. Needed where there are more than two."),
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The system it is compared with.")] = None,
    *,
    own: Annotated[Declared, OWN],
    every: Annotated[Declared, EVERY],
    within: Within,
    prices: Annotated[Prices, only("judge_price")],
    certifying: Certifying,
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """Is A better than B? The verdict, and what would decide.

    Better, worse, equivalent within --margin, or undecided, from the scores of both or from votes between them. Ends
    with exit code 2 if what is claimed is not shown. Without A and B, all pairs of systems, whose verdicts hold
    together (Holm); exit code 2 if one is undecided. A file of two systems needs no names, and of two files A is the
    first. With --claim it is a gate: the verdict begins with PASS or FAIL.
    """
    from quorate.decide.all_pairs import compare_all, the_two

    if (a is None) != (b is None):
        raise InvalidInput(f'A, B: give both systems, or neither for all pairs, got "{a or b}" alone')
    table = within.told_apart(reading.table(file, own, every, within, prices, certifying))
    if a is None or b is None:
        a, b = the_two(table, own.value("system"), own.value("claim")) or (a, b)
    costs = prices.prices()
    if a is None or b is None:
        two = [name for name in own.given() if name not in parameters_of(ALL)]
        for option in [*(spelled(OWN, name) for name in two), *(["--judge-price"] if costs else [])]:
            raise InvalidInput(f"{option}: is for two systems; name them as A and B")
        if certifying.certify is not None:
            raise InvalidInput("--certify: is for two systems; name them as A and B")
        together = compare_all(table, **own.arguments(table), **every.arguments())
        out.show(together, files, table)
        return together.exit_code
    for name in every.given():
        raise InvalidInput(f"{spelled(EVERY, name)}: is for all pairs; leave out A and B")
    found = own(table, a, b, **({"prices": costs} if costs else {}))
    certificate = certifying.certificate(found)
    out.show(found, files, table, also=certified(certificate), **as_more(certificate))
    return int(found.exit_code)
