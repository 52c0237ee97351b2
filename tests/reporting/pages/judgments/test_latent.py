"""Components of log odds beside those of scores as numbers: the page, and the section of an analysis."""

import numpy as np
import polars as pl

import quorate as q
from quorate.reporting.report import page_of


def test_page_and_section_say_both_shares():
    rng = np.random.default_rng(6)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.random() < 0.75 + 0.1 * j + 0.1 * (i % 2)))
        for i in range(20) for j in range(2) for p in range(2)
    ]  # fmt: skip
    table = q.read(pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row"), announce=False)
    found = q.analyze(table)
    fit = found.latent
    (section,) = [one for one in page_of(found).whole.sections if one.name == "latent"]
    (figure,) = page_of(fit).sections[0].figures
    assert section.figures[0].rows == figure.rows
    assert {row["term"]: row["share"] for row in figure.rows} == {one.name: one.share for one in fit.components}
    assert figure.chart() is not None
    assert fit.sentence in section.text
