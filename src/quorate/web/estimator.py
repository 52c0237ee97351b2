"""Estimator: a process of its own in which a study is analysed, so that nobody who answers waits for it.

``python -m quorate.web.estimator STUDY`` takes one order in a line of JSON on its standard input, and gives one line
back. It ends when its input does, so that it never outlives the server that started it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import NotEstimable, QuorateError

if TYPE_CHECKING:
    from quorate.analysis.interim import Interim
    from quorate.reporting.page import Figure
    from quorate.study.file import Study

_NOTE = "Made while the study was open: answers that came later are not in it."

MOST_ROWS = 60
"""Rows of a table on the page; the report has all."""


class Estimator:
    """A study, and what it said last.

    Parameters
    ----------
    study : Study
        Whose ledger may be written to meanwhile.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._latest: Interim | None = None

    def orders(self) -> Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
        """What it can be told to do, by name."""
        return {"estimate": self.estimate, "judgments": self.judgments, "report": self.report}

    def estimate(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """What the study says so far, as a page shows it."""
        from quorate.analysis.interim import interim
        from quorate.reporting.pages.interim import sections
        from quorate.reporting.print.files import WIDTHS, svg

        start = time.process_time()
        found = self._latest = interim(self.study, earlier=self._latest)
        shown = [one for one in sections(found) if one.name != "progress"]  # which is shown at once, from sums
        figures = [figure for section in shown for figure in section.figures]
        drawn = [figure for figure in figures if figure.chart]
        charts = {one.name: {name: svg(one, width) for name, width in WIDTHS.items()} for one in drawn}
        return {
            "sentence": found.so_far if found.looks else "",
            "finished": found.status.finished,
            "looks": len(found.status.looks),
            "sections": [
                {"title": one.title, "text": one.text, "figures": [table(figure) for figure in one.figures]}
                for one in shown
            ],
            "caveats": [caveat.sentence for caveat in found.caveats],
            "charts": charts,
            "seconds": time.process_time() - start,
        }

    def judgments(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Every finished cell as a file whose name says the format."""
        from quorate.table.cells import write_columns
        from quorate.table.exchange.ledger import columns

        write_columns(columns(self.study.database), Path(order["path"]))
        return {"path": order["path"]}

    def report(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """The report of what there is, as one file; the interim analysis while there is too little for another one."""
        from quorate.analysis.interim import interim
        from quorate.reporting.report import report
        from quorate.study.file import answers

        try:
            report(answers(self.study), order["path"], note=_NOTE)
        except NotEstimable:
            report(interim(self.study, earlier=self._latest), order["path"], note=_NOTE)
        return {"path": order["path"]}


def table(figure: Figure) -> dict[str, Any]:
    """A figure as texts: its finding, small print, and rows."""
    from quorate.reporting.print.cells import cell, columns, is_number

    titles = columns(figure.rows, figure.headers)
    rows = [[cell(key, row.get(key)) for key in titles] for row in figure.rows[:MOST_ROWS]]
    return {
        "name": figure.name,
        "finding": figure.caption.finding,
        "lines": figure.caption.lines,
        "titles": list(titles.values()),
        "numbers": [all(is_number(row.get(key)) for row in figure.rows) for key in titles],
        "rows": rows,
        "drawn": figure.chart is not None,
    }


def carried_out(estimator: Estimator, line: str) -> dict[str, Any]:
    """The answer to one order; an error is its line."""
    order = json.loads(line)
    try:
        return estimator.orders()[order["do"]](order)
    except QuorateError as error:
        return {"error": str(error)}


def main(path: str) -> None:
    """Carry out orders until there are no more."""
    from quorate.study.file import load

    os.nice(10)  # people who answer come first
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else is written where answers are read
    estimator = Estimator(load(path))
    for line in sys.stdin:
        answers.write(json.dumps(carried_out(estimator, line)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
