from __future__ import annotations

import io

from rich.console import Console

from quorate.reporting.print.terminal import grid, paragraph, points, printed

HOSTILE = "[red]x[/red]\x1b[31m:smile:"


def test_nothing_of_the_data_is_markup_or_obeyed():
    out = Console(file=io.StringIO(), width=80, highlight=False, markup=False, emoji=False)
    lines = [*paragraph(out, HOSTILE), *points(out, [HOSTILE])]
    lines += printed(out, grid([HOSTILE, "n"], [[HOSTILE, "1"]], [False, True]))
    assert sum(r"[red]x[/red]\x1b[31m:smile:" in line for line in lines) == 4
    assert paragraph(out, "") == []
