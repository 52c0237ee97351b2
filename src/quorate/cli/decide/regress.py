"""`quorate regress`: a regression on labels that judges gave, corrected by labels of a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Declared, Files, Group, Output, command, names, of, only
from quorate.cli.options.reading import Rows
from quorate.errors import InvalidInput

OWN = of("quorate.estimate.regression.regress:regress")

RowsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per item that was labelled.")
]


@dataclass(frozen=True, kw_only=True)
class Model(Group):
    """What is regressed on what."""

    outcome: Annotated[str, typer.Option(metavar="COLUMN", help="Labels that the judge gave, of every row.")]
    on: Annotated[
        str, typer.Option(metavar="COLUMNS", help="Regressors, with commas; words are compared with the first of them.")
    ]
    labels: Annotated[str, typer.Option(metavar="COLUMN", help="Labels by people, empty where there is none.")]
    probability: Annotated[
        str, typer.Option(metavar="P|COLUMN", help="Chance of a row to be labelled by people: a number or a column.")
    ]
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="What makes rows alike, such as author, with commas.")
    ] = None


@command
def regress(
    file: RowsFile,
    model: Model,
    own: Annotated[Declared, OWN],
    rows: Annotated[Rows, only("where", "file_format")],
    files: Files,
    out: Output,
) -> int:
    """A regression on labels of a judge, right also where the judge is not.

    Coefficients of what people would label, from a judge's labels of all rows and people's of some, each chosen with a
    chance that is known. Printed beside what the judge's labels alone say.
    """
    from quorate.table.exchange.variables import variables

    regressors, clusters, chance = names(model.on), names(model.cluster), _number(model.probability)
    if not regressors:
        raise InvalidInput("--on: name a column, or several with commas, got none")
    given = [model.outcome, model.labels, *([] if chance is not None else [model.probability])]
    columns = variables(file, list(dict.fromkeys([*given, *regressors, *clusters])), rows=rows.opening())
    found = own(
        columns[model.outcome],
        {name: columns[name] for name in regressors},
        columns[model.labels],
        columns[model.probability] if chance is None else chance,
        cluster={name: columns[name] for name in clusters} or None,
    )
    out.show(found, files)
    return 0


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
