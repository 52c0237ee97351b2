from __future__ import annotations

import quorate as q
from quorate.reporting import gaming_captions as captions


def test_the_first_design_and_the_one_that_leaves_least(surface):
    finding = captions.prizes(surface()).finding
    assert finding.startswith("The best of 27 attempts stands ")
    assert "Elo above the truth with 1 prompt x 1 judge, " in finding
    assert finding.endswith(" Elo with 5 prompts x 3 judges")


def test_intervals_are_named_only_where_they_are(surface, table):
    assert len(captions.prizes(surface()).lines) == 1
    fit = q.decompose(q.read(table(), announce=False))
    assert captions.prizes(q.gaming(fit, 5, rng=1)).lines[1].startswith("Lines: 95% intervals")


def test_the_surface(surface):
    assert captions.grid(surface()).finding.startswith("5 prompts x 3 judges leave ")


def test_what_to_buy_first(surface):
    finding = captions.mitigation(surface()).finding
    assert finding.startswith("3 judges in turn, one per item takes away ")
    assert finding.endswith(" Elo for no more calls")


def test_nothing_to_gain_by_one_attempt(surface):
    found = surface(k=1)
    assert captions.mitigation(found).finding == "No change that the data tell about takes anything away"
    assert captions.attempts(found).finding.endswith("0 Elo for 1 attempt")
    assert captions.facts(found).finding == "What is played: 1 attempt, the best is reported"
