from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def pilot(tmp_path):
    rng = np.random.default_rng(4)
    item, bias, noise = rng.normal(size=24), rng.normal(0, 0.4, 6), np.array([0.3, 0.3, 0.3, 0.3, 1.2, 0.3])
    lines = [
        f"{i},{name},{item[i] + bias[at] + noise[at] * rng.normal():.4f}"
        for i in range(24)
        for at, name in enumerate("abcdef")
    ]
    path = tmp_path / "pilot.csv"
    path.write_text("item,judge,score\n" + "\n".join(lines) + "\n")
    return path


PRICES = [word for name in "abcdef" for word in ("--judge-price", f"{name}={0.2 if name == 'a' else 0.01}")]


def test_a_dear_judge_and_a_noisy_one_must_earn_their_place(run, pilot):
    ran = run("plan", "--screen", pilot, "--budget", 3, *PRICES)
    said = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert said.startswith("Use ")
    assert " judges of 6, one per item" in said
    assert "all judges on every item" in said
    assert "a left out 0.20" in " ".join(run("plan", "--screen", pilot, "--budget", 3, *PRICES, "--full").out.split())
    assert "judges are taken to be as lenient with new items" in said


def test_everything_as_json(run, pilot):
    found = run("plan", "--screen", pilot, "--half-width", 0.4, *PRICES, "--most", 3, "--json").json
    assert len(found["panel"]["judges"]) <= 3
    assert found["half_width"] <= 0.4
    assert {one["name"] for one in found["candidates"]} == set("abcdef")


def test_without_the_correction(run, pilot):
    ran = run("plan", "--screen", pilot, "--half-width", 0.8, "--uncorrected", "--fewest", 2)
    assert ran.code == 0
    assert "Subtract" not in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "budget, half_width: exactly one is needed"),
        ("--budget 10 --half-width 1", "budget, half_width: exactly one is needed"),
        ("--budget 0", "budget: must be a finite amount above 0"),
        ("--budget 10 --judge-price a=1", "has no price"),
        ("--budget 10 --most 0", "most"),
        ("--budget 10 --fewest 9", "fewest"),
        ("--budget 10 --generation judge", "judge"),
    ],
)
def test_what_is_refused_in_one_line(run, pilot, words, says):
    ran = run("plan", "--screen", pilot, *words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert says in ran.err
