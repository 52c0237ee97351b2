from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.means.effects import of_families

MODELS = ["gpt-4o", "gpt-4.1", "claude-3", "claude-4", "gemini-1", "gemini-2", "llama-2", "llama-3"]


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Scores in which judges of one maker err together."""
    rng = np.random.default_rng(3)
    item, judge = (at.ravel() for at in np.indices((40, 8)))
    score = rng.normal(size=40)[item] + 0.8 * rng.normal(size=4)[judge // 2] + 0.2 * rng.normal(size=8)[judge]
    score += 0.5 * rng.normal(size=320)
    return pl.DataFrame({"item": item, "judge": [MODELS[k] for k in judge], "score": score})


def test_names_that_share_makers_are_said_and_modelled(frame):
    plain = q.analyze(q.read(frame, announce=False))
    said = next(caveat for caveat in plain.caveats if caveat.code == "judges-share-makers")
    assert "openai: gpt-4.1, gpt-4o" in said.sentence
    assert said.sentence.endswith('model it with families="auto"')
    modelled = q.analyze(q.read(frame, families="auto", announce=False))
    codes = {caveat.code for caveat in modelled.caveats}
    assert "judges-in-families" in codes
    assert "judges-share-makers" not in codes
    assert modelled.others.se > 1.2 * plain.others.se
    assert modelled.others.target["family"] == "population"


def test_design_effect(frame):
    fit = q.decompose(q.read(frame, families="auto", announce=False))
    family, judge = fit.variance("family"), fit.variance("judge")
    (said,) = of_families(fit.mean_for(judge="population"))
    correlation = family / (family + judge)
    assert f"correlate by {correlation:.2f} (design effect {1 + correlation:.1f})" in said.sentence
    assert f"count as {8 / (1 + correlation):.1f} judges" in said.sentence
    assert not of_families(fit.mean_for(judge="panel"))


@pytest.mark.parametrize(("copies", "said"), [((0, 1, 2, 3), False), ((0, 0, 2, 2), True)])
def test_judges_that_may_be_copies_are_said_with_what_models_them(copies, said):
    rng = np.random.default_rng(3)
    errors = rng.normal(size=(60, 4))[:, list(copies)] + 0.2 * rng.normal(size=(60, 4))
    item, judge = (at.ravel() for at in np.indices((60, 4)))
    frame = pl.DataFrame(
        {"item": item, "judge": [f"j{k}" for k in judge], "score": (rng.normal(size=(60, 1)) + errors).ravel()}
    )
    found = [one for one in q.analyze(q.read(frame, announce=False)).caveats if one.code == "judges-err-together"]
    assert bool(found) is said
    if said:
        assert "there are 2 to speak for others" in found[0].sentence
        assert 'families={"' in found[0].sentence
