from __future__ import annotations

from dataclasses import replace

import pytest

import quorate as q
from quorate.reporting import verdict_captions as captions


@pytest.mark.parametrize(
    ("systems", "margin", "says"),
    [
        ((0, 2), None, "system 0 is better than system 2"),
        ((2, 0), None, "system 2 is worse than system 0"),
        ((0, 2), 5.0, "system 0 and system 2 are equivalent within a margin of 5"),
    ],
)
def test_the_headline_is_the_outcome(rated, systems, margin, says):
    names = [f"system {one}" for one in systems]
    assert captions.headline(q.compare(rated(), *names, margin=margin)) == says


def test_undecided_is_never_alike(ballots, rated):
    votes = q.compare(ballots(each=20, spread=0.2), "a", "b")
    assert captions.headline(votes) == "Undecided whether a or b is preferred, which is no sign that they are alike"
    scores = q.compare(rated(gap=0.0, favour=0.6), "system 0", "system 1")
    assert "scores better, which is no sign" in captions.headline(scores)


def test_where_the_interval_lies(rated):
    caption = captions.intervals(q.compare(rated(), "system 0", "system 2", margin=0.1))
    assert caption.finding == "The 95% interval excludes zero: better"
    assert caption.lines[0] == "Mean score of system 0 less that of system 2."
    assert caption.lines[2].startswith("Dotted: what counts as equal, -0.1 to 0.1 (p = ")


def test_shares_and_steps(rated):
    found = q.compare(rated(gap=0.0, favour=0.6), "system 0", "system 1")
    assert "of the uncertainty of the difference comes from judge" in captions.shares(found).finding
    assert captions.steps(q.compare(rated(), "system 0", "system 2")).lines == ()
    assert captions.facts(found).finding == "What was compared: system 0 and system 1"


def test_what_would_decide_says_what_it_would_show(ballots, rated):
    votes = captions.steps(q.compare(ballots(each=20, spread=0.2), "a", "b"))
    assert votes.finding == "A new study would find a difference, with a chance of 0.9"
    scores = captions.steps(q.compare(rated(gap=0.2, favour=0.05, judges=6), "system 0", "system 1"))
    assert scores.lines[0].startswith("A new study of ")


def test_why_a_detectable_difference_is_far_beyond_the_interval(rated, ballots):
    found = q.compare(rated(), "system 0", "system 2")
    low, high = found.difference.interval(found.level)
    far = replace(found, detectable=3 * (high - low) / 2)
    said = captions.why_detectable(far)
    assert said.startswith("The smallest difference is that of new studies of this design, ")
    assert captions.facts(far).lines == (said,)
    for near in (replace(far, detectable=(high - low)), replace(far, detectable=None), q.compare(ballots(), "a", "b")):
        assert captions.why_detectable(near) == ""
