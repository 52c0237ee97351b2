"""Where less is better: the answers are those on the scores with their sign turned, and the scores stay as they are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.cli.entry import main

SYSTEMS = ("s0", "s1", "s2", "s3")


def scores(systems: int, seed: int = 5) -> pl.DataFrame:
    """Scores of 24 items by three judges, two of whom turn the order of two systems; without ends."""
    rng = np.random.default_rng(seed)
    shape = (systems, 24, 3)
    score = rng.normal(size=(1, 24, 1)) + 0.6 * rng.normal(size=shape) + np.array([0.0, 0.5, -0.4])
    score += np.array([0.7, 0.0, 0.1, -0.8])[:systems, None, None]
    score[0, :, 2] -= 1.6
    system, item, judge = (at.ravel() for at in np.indices(shape))
    names = {"item": [f"q{k}" for k in item], "judge": [f"j{k}" for k in judge], "system": [SYSTEMS[k] for k in system]}
    names["category"] = ["odd" if k % 2 else "even" for k in item]
    return pl.DataFrame({**names, "score": score.ravel()})


def same(found: Any, other: Any, where: str = "") -> None:
    """Every number the same up to its sign, every flag and word the same but for those of direction."""
    if isinstance(found, dict):
        assert found.keys() == other.keys(), where
        numbers = [sorted(abs(value) for value in one.values() if isinstance(value, float)) for one in (found, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-6, abs=1e-9), where
        for name in found.keys() - {"diagnosis", "notes"}:  # the first looks at low and at high scores
            same(found[name], other[name], f"{where}.{name}")
    elif isinstance(found, list):
        assert len(found) == len(other), where
        for at, pair in enumerate(zip(found, other, strict=True)):
            same(*pair, f"{where}[{at}]")
    elif isinstance(found, bool | int | str) and not said(where):
        assert found == other, where


def said(where: str) -> bool:
    """Whether it is a sentence, which names the direction or where the data are."""
    words = "sentence reading note command source lines unit text claim caveats naive least less paragraph reproduction"
    return any(word in where for word in words.split())


def told(tmp_path, capsys, command: str, frame: pl.DataFrame, *words: str) -> tuple[int, Any]:
    path = tmp_path / "scores.csv"
    frame.write_csv(path)
    code = main([command, str(path), *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("systems", [1, 2, 4])
@pytest.mark.parametrize(
    "words",
    [
        ("analyze",),
        ("rank",),
        ("compare",),
        ("compare", "s1", "s0", "--margin", "0.4", "--claim", "not worse"),
        ("compare", "s0", "s1", "--claim", "better"),
        ("judges",),
        ("plan", "--budget", "500"),
        ("plan", "--effect", "0.4"),
        ("plan", "--design"),
    ],
    ids=" ".join,
)
def test_less_of_scores_is_more_of_their_opposites(tmp_path, capsys, words, systems):
    if (systems == 1 and words[0] in ("rank", "compare")) or (systems != 2 and "--effect" in words):
        pytest.skip("is of two systems or more, or of two")
    frame = scores(systems)
    more = told(tmp_path, capsys, words[0], frame.with_columns(-pl.col("score")), *words[1:])
    less = told(tmp_path, capsys, words[0], frame, *words[1:], "--less-is-better")
    assert less[0] == more[0]
    same(less[1], more[1])


def test_scores_are_shown_as_they_are_and_the_least_is_first():
    frame = scores(4)
    board = q.rank(q.read(frame, less_is_better=True, announce=False))
    mean = dict(frame.group_by("system").agg(pl.col("score").mean()).iter_rows())
    assert list(board.systems) == sorted(mean, key=lambda name: mean[name])
    assert board.rating.tolist() == pytest.approx([mean[name] for name in board.systems])
    assert board.less_is_better


def test_the_better_of_two_scores_less():
    found = q.compare(q.read(scores(2), less_is_better=True, announce=False), "s0", "s1")
    assert found.outcome is q.compare(q.read(scores(2), announce=False), "s1", "s0").outcome
    assert f"{abs(found.difference.value):.{found.places}f} " in found.sentence
    assert "less is better" in found.sentence


@pytest.mark.parametrize("less", [False, True])
def test_files_of_judgments_say_how_to_read_them_again(tmp_path, less):
    table = q.read(scores(2), less_is_better=less, announce=False)
    written = table.write(tmp_path / "again.csv")
    assert ("less_is_better" in " ".join(written.notes)) is less
    again = q.read(tmp_path / "again.csv", less_is_better=less, announce=False)
    assert again.mean.sum() == pytest.approx(table.mean.sum())
