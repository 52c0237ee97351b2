"""Every layout of a study file, from the file to the analysis."""

import csv
import hashlib

import numpy as np
import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.errors import QuorateError
from quorate.table.results import plain

ROWS = [{"id": f"q{n}", "prompt": "p", "response": "r" * n, "kind": ("short", "long")[n % 2]} for n in range(1, 13)]
JUDGES = ("ann", "bob", "cyd")
PROMPTS = ("score", "score-reasoned")
LAYOUTS = {
    "factorial": {},
    "all-judges": {},
    "random": {},
    "cyclic": {},
    "latin": {"per_item": 2},
    "weighted": {"places": {"ann": 2, "bob": 1, "cyd": 1}},
    "blocks": {"per_item": 2},
}
IN_CATEGORIES = ("cyclic", "weighted", "blocks")
PILOTS = {f"{name} with a pilot, in categories": {**LAYOUTS[name], "name": name, "pilot": 2} for name in IN_CATEGORIES}
ANALYSED = (
    "factorial",
    "blocks with a pilot, in categories",
)  # the same data give the same analysis, so two of them are enough
CASES = {**{name: {**layout, "name": name} for name, layout in LAYOUTS.items()}, **PILOTS}


def score(cell):
    """A score from 1 to 10 that follows from the labels of a cell alone."""
    text = "/".join(str(cell[name]) for name in ("item", "prompt", "judge", "replicate"))
    return 1 + int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10


def rows_of(cells):
    """The cells as rows of a table, one for every call."""
    columns = [cells.column(name).tolist() for name in cells.columns]
    return [dict(zip(cells.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def tally(judgments):
    """Answers and their mean by the labels of each cell."""
    labels = [np.array(judgments.facet(name).levels, dtype=object)[judgments.column(name)] for name in judgments.names]
    keys = [frozenset(zip(judgments.names, row, strict=True)) for row in zip(*labels, strict=True)]
    return dict(zip(keys, zip(judgments.n.tolist(), judgments.mean.tolist(), strict=True), strict=True))


def said(judgments):
    """The mean, its interval and the components that an analysis finds, or why it finds none."""
    try:
        found = analyze_judgments(judgments)
    except QuorateError as error:
        return f"{type(error).__name__}: {error}"
    return (found.sentence, found.setup.value, found.setup.at(0.95).ends, plain(found.fit.components))


@pytest.mark.wide(1)
@pytest.mark.parametrize("case", CASES)
def test_the_cells_of_a_plan_are_asked_and_analysed(study, tmp_path, case):
    layout, categories = CASES[case], case in PILOTS
    items = {"file": "items.jsonl", **({"category": "kind"} if categories else {})}
    path = study(
        rows=ROWS,
        items=items,
        judges={name: {"kind": "python"} for name in JUDGES},
        prompts=list(PROMPTS),
        layout=layout,
        replicates=2,
        seed=5,
        budget={"calls": 500},
    )
    found = q.run(path, judges=dict.fromkeys(JUDGES, lambda request: score(request.cell)))

    options = {name: value for name, value in layout.items() if name != "name"}
    name = "factorial" if layout["name"] == "all-judges" else layout["name"]
    ids = {row["id"]: row["kind"] for row in ROWS} if categories else [row["id"] for row in ROWS]
    cells = q.assign(items=ids, judges=JUDGES, prompts=PROMPTS, layout=name, seed=5, replicates=2, **options)
    rows = rows_of(cells)
    with (tmp_path / "direct.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*cells.columns, "score"])
        writer.writeheader()
        writer.writerows({**row, "score": score(row)} for row in rows)
    direct = q.read(tmp_path / "direct.csv", recognise=True, announce=False)

    assert int(found.n.sum()) == len(rows) == q.status(path).finished
    assert tally(found) == tally(direct)
    assert [(facet.name, facet.parent) for facet in found.facets] == [(f.name, f.parent) for f in direct.facets]
    if case in ANALYSED:
        assert said(found) == said(direct)
