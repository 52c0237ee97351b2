from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.table.facets import Facet
from quorate.table.families import maker, shared
from quorate.table.reread import answers, origin_of

JUDGES = ["gpt-4o", "gpt-4.1", "claude-3", "ann"]


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rows = [(i, j, float((i * 7 + k * k) % 5)) for i in range(6) for k, j in enumerate(JUDGES)]
    return pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")


def test_judges_are_drawn_in_families(frame):
    table = q.read(frame, families="auto", announce=False)
    assert table.facet("family").levels == ("ann", "anthropic", "openai")
    assert table.facet("judge").parent == "family"
    assert not table.facet("judge").fixed
    assert table.n_levels("judge") == 4
    assert "4 judges in 3 families (ann: ann; anthropic: claude-3; openai: gpt-4.1 and gpt-4o)" in table.notes


def test_families_as_said(frame):
    table = q.read(frame, families={"ann": "x", "gpt-4o": "x"}, announce=False)
    assert table.facet("family").levels == ("claude-3", "gpt-4.1", "x")


def test_a_column_of_families_draws_the_judges(frame):
    grouped = frame.with_columns(maker=pl.col("judge").str.slice(0, 3))
    table = q.read(grouped, nested={"judge": "maker"}, announce=False)
    assert not table.facet("judge").fixed
    assert q.read(grouped, nested={"judge": "maker"}, fixed=["judge"], announce=False).facet("judge").fixed


def test_what_is_refused(frame):
    with pytest.raises(UnknownTerm, match="bob"):
        q.read(frame, families={"bob": "x"}, announce=False)
    with pytest.raises(InvalidInput, match="no two of the judges are of one family"):
        q.read(frame.filter(pl.col("judge").is_in(["ann", "gpt-4o"])), families="auto", announce=False)
    with pytest.raises(InvalidInput, match='"auto" or the family of each judge'):
        q.read(frame, families="names", announce=False)
    with pytest.raises(InvalidInput, match="no judges to group"):
        q.read(frame.drop("judge"), families="auto", announce=False)


def test_judgments_in_families_are_read_again(frame, tmp_path):
    again = pl.concat([frame.with_columns(replicate=pl.lit(r), score=pl.col("score") + r) for r in (1, 2)])
    table = q.read(again, families="auto", announce=False)
    plain = q.read(again, announce=False)
    assert answers(table).values.tolist() == answers(plain).values.tolist()
    written = table.write(tmp_path / "table.csv")
    assert (written.n, written.per) == (48, "answer")
    back = q.read(tmp_path / "table.csv", nested={"judge": "family"}, announce=False)
    assert [facet.levels for facet in back.facets] == [facet.levels for facet in table.facets]
    assert back.mean.tolist() == table.mean.tolist()
    moved = replace(table, facets=(*table.facets, Facet("half", "half", ("a", "b"))))
    doubled = replace(moved, codes=np.column_stack([table.codes, np.arange(table.n_cells) % 2]))
    assert origin_of(doubled) is table.origin  # more names for the same cells
    twice = {name: np.tile(getattr(table, name), 2) for name in ("n", "mean", "ss", "low", "high")}
    halves = np.column_stack([np.vstack([table.codes] * 2), np.repeat([0, 1], table.n_cells)])
    with pytest.raises(NotEstimable, match="facets are not those that were read"):
        origin_of(replace(moved, codes=halves, **twice))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4.1-mini", "openai"),
        ("openai/o3-mini", "openai"),
        ("Claude 3.5 Sonnet", "anthropic"),
        ("gemini-1.5-pro", "google"),
        ("Llama-3.3", "meta"),
        ("meta-llama/Llama-3-70b", "meta"),
        ("Mixtral_8x7B", "mistral"),
        ("Qwen2.5-72B", "alibaba"),
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("someone/judge-7b", "someone"),
        ("phil", None),
        ("grokking", None),
        ("worker 12", None),
        ("a", None),
    ],
)
def test_makers(name, expected):
    assert maker(name) == expected


def test_makers_of_several():
    names = ["gpt-4o", "claude-3-opus", "gpt-4.1", "ann"]
    assert shared(names) == {"openai": ["gpt-4o", "gpt-4.1"]}
    assert not shared(["ann", "bob", "gpt-4o"])
