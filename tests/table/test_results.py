from __future__ import annotations

import copy
import importlib.util
import json
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import quorate as q
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.targets import Pool
from quorate.table import results as frames
from quorate.table.notes import Note, left_unused, not_used, read_as
from quorate.table.results import Result, plain, rows_of
from quorate.wording import LONGEST


@dataclass(frozen=True)
class Value:
    value: float
    parts: tuple[float, ...]
    target: Pool


def test_results_become_json():
    result = {
        "a": Value(np.float64(1.5), (float("inf"), 2.0), Pool(20)),
        "b": np.array([[1, 2]]),
        "c": frozenset({"x"}),
    }
    expected = {"a": {"value": 1.5, "parts": [None, 2.0], "target": "pool of 20"}, "b": [[1, 2]], "c": ["x"]}
    assert json.loads(json.dumps(plain(result), allow_nan=False)) == expected


def test_numpy_scalars_become_python_s():
    assert [type(plain(value)) for value in (np.int64(1), np.float64(1), np.bool_(True))] == [int, float, bool]


@dataclass(frozen=True)
class Share(Result):
    judge: str
    right: int
    value: float


@dataclass(frozen=True)
class Shares(Result):
    shares: tuple[Share, ...]
    sentence: str = ""
    caveats: tuple[Caveat, ...] = ()
    source: Any = field(default=None, repr=False)

    def rows(self) -> list[dict[str, Any]]:
        return [row for share in self.shares for row in share.rows()]


SHARES = Shares(tuple(Share(f"<judge {k}>", k, k / 12) for k in range(12)), "All <b>agree</b>.", source=object())


def test_a_result_of_one_row_is_its_fields():
    share = Share("a", 3, float("nan"))
    assert share.rows() == [{"judge": "a", "right": 3, "value": pytest.approx(float("nan"), nan_ok=True)}]
    assert share.to_dict() == {"judge": "a", "right": 3, "value": None}
    assert repr(share) == "Share(judge='a', right=3, value=nan)"
    assert share == pickle.loads(pickle.dumps(share)) or np.isnan(share.value)


def test_results_inside_a_result_write_themselves_and_what_it_was_made_from_is_left_out():
    content = SHARES.to_dict()
    assert list(content) == ["shares", "sentence", "caveats"]
    assert content["shares"][3] == {"judge": "<judge 3>", "right": 3, "value": 0.25}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_has_the_rows(library):
    frame = SHARES.to_frame(library)
    assert (list(frame.columns), len(frame), list(frame["right"])) == (["judge", "right", "value"], 12, list(range(12)))


def test_a_repr_is_short_and_holds_no_control_characters():
    long = repr(Shares((), "\x1b[31m" + "much " * 1000))
    assert len(long) <= LONGEST
    assert "\x1b" not in long
    assert long.startswith("Shares(\\x1b[31mmuch")
    assert repr(SHARES) == "Shares(All <b>agree</b>.)"


def test_a_notebook_shows_ten_rows_escaped():
    html = Shares(SHARES.shares, SHARES.sentence, (Caveat("few", "Only <2> judges."),))._repr_html_()
    assert html.count("<tr>") == 11
    assert "10 of 12 rows" in html
    assert "<td>0.08333</td>" in html
    assert "&lt;judge 0&gt;" in html
    assert "All &lt;b&gt;" in html
    assert "Only &lt;2&gt;" in html
    assert "<judge" not in html


def test_a_result_that_cannot_say_its_sentence_is_shown_by_its_numbers():
    @dataclass(frozen=True)
    class Silent(Result):
        n: int

        @property
        def sentence(self) -> str:
            raise NotEstimable("no sentence")

    assert repr(Silent(4)) == "Silent(n=4)"
    assert "<td>4</td>" in Silent(4)._repr_html_()


def test_columns_become_rows():
    assert rows_of({"pair": ("a", "b"), "n": np.array([1, 2])}) == [{"pair": "a", "n": 1}, {"pair": "b", "n": 2}]


def test_every_published_result_shows_itself_in_a_line_and_in_a_notebook():
    """All types but tables, their parts and what a result is made from."""
    from quorate import types
    from quorate.table.results import Result

    parts = {
        *("Borrowed", "Certified", "Coefficient", "Compared", "Component", "Drawing", "LatentComponent", "Link"),
        *("Turn", "Law", "LevelBounds", "DroppedVotes", "Flip", "Neighbours", "Passing", "PlanRun"),
        *("PosteriorComponent", "Ran", "Reweighted", "Stood", "SystemRuns", "Shared"),
    }
    tables = {"Assignment", "Caveat", "Cells", "Judgments", "Pool", "Progress", "Votes"} | parts
    assert {name for name in types.__all__ if not issubclass(getattr(types, name), Result)} == tables


def test_marks_that_reorder_text_are_escapes_in_a_notebook():
    mark = "\u202e"
    html = Shares((Share("a" + mark, 1, 0.5),), "It is" + mark, (Caveat("few", "Only" + mark),))._repr_html_()
    assert mark not in html
    assert html.count(r"\u202e") == 3


NOTES = (read_as("judge", ["who, exactly"]), Note("judge: 1 row without a label"), *left_unused(["a, b", "c"]))


def test_a_note_is_its_text_and_knows_its_columns():
    assert NOTES == ("judge = column who, exactly", "judge: 1 row without a label", "not used: a, b, c")
    assert [(note.role, note.columns) for note in NOTES] == [
        ("judge", ("who, exactly",)),
        ("", ()),
        ("", ("a, b", "c")),
    ]
    assert not_used(NOTES) == ["a, b", "c"]
    assert left_unused([]) == ()


def test_a_brief_note_leaves_out_what_is_said_of_all():
    assert read_as("a", ["= column b"], "c").brief == "a = = column b, a in c"
    assert [note.brief for note in NOTES] == ["judge = who, exactly", *NOTES[1:]]
    assert read_as("wins", ["a", "b"]).brief == "wins = columns a, b"


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda note: pickle.loads(pickle.dumps(note))])
def test_a_copy_keeps_the_columns(again):
    assert [(again(note), again(note).role, again(note).columns) for note in NOTES] == [
        (note, note.role, note.columns) for note in NOTES
    ]


COLUMNS = {"judge": ["a", "b"], "mean": np.array([1.0, 2.0])}


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("polars", pl.DataFrame), ("pandas", pd.DataFrame), ("pyarrow", pa.Table), (None, pl.DataFrame)],
)
def test_a_frame_in_the_library_asked_for(backend, kind):
    built = frames.frame(COLUMNS, backend)
    assert isinstance(built, kind)
    assert list(built["judge"]) == ["a", "b"] or built["judge"].to_pylist() == ["a", "b"]


def test_a_library_that_is_not_known():
    with pytest.raises(InvalidInput, match='backend: must be one of polars, pandas, pyarrow, got "duckdb"'):
        frames.frame(COLUMNS, "duckdb")


@pytest.mark.parametrize(("backend", "fix"), [(None, "pip install polars"), ("pandas", "pip install pandas")])
def test_nothing_installed_says_what_to_install(monkeypatch, backend, fix):
    monkeypatch.setattr(frames, "find_spec", {}.get)
    with pytest.raises(InvalidInput, match=fix):
        frames.frame(COLUMNS, backend)


def test_the_first_library_installed_is_taken(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None if name == "polars" else importlib.util.find_spec(name))
    assert isinstance(frames.frame(COLUMNS), pd.DataFrame)


def test_a_frame_of_langsmith_as_the_page_on_frames_reads_it(shared):
    """Published figures: evaluators run on empty outputs too, and what they say there is no judgment."""
    wide = pl.read_csv(shared / "data" / "formats" / "langsmith" / "experiment.csv")
    marked = wide.with_columns(
        replicate=pl.int_range(pl.len()).over("example_id"),
        status=pl.when(pl.col("error").is_null()).then(pl.lit("ok")).otherwise(pl.lit("error")),
        **{"feedback.exact": pl.col("feedback.exact").cast(pl.Float64)},
    )
    kept = ["example_id", "replicate", "status"]
    long = marked.unpivot(["feedback.exact", "feedback.judge_a"], index=kept, variable_name="judge", value_name="score")
    table = q.read(long, announce=False)
    assert {one.name: one.rows for one in table.describe().statuses} == {"ok": 4, "error": 4}
    for judge, mean in (("feedback.exact", 1.0), ("feedback.judge_a", 0.8)):
        one = table.only("judge", judge)
        assert (one.n_answers, float(one.mean[one.n > 0].mean())) == (2, mean)
