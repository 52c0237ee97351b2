"""A study of people and models: their answers are one table, which every comparison of the two reads."""

from __future__ import annotations

import numpy as np
import pytest

import quorate as q

MODELS = ["rule", "other"]
RATERS = ["raters 1", "raters 2"]
JUDGES = {**{name: {"kind": "python"} for name in MODELS}, "raters": {"kind": "people", "seats": 2}}
N = 12


def good(n):
    return n % 3 > 0


@pytest.fixture
def both(served):
    """A function that serves a study whose models have answered."""

    def serve(rule, **changes):
        site = served(judges=JUDGES, **changes)
        q.run(site.opened.asked.study.path, judges=dict.fromkeys(MODELS, rule))
        return site

    return serve


@pytest.mark.slow
def test_votes_of_people_and_models(both):
    rows = [
        {"id": f"q{n}", "prompt": f"{n}", "response_a": "good" if good(n) else "bad", "response_b": "so so"}
        | {"model_a": "x", "model_b": "y"}
        for n in range(N)
    ]
    site = both(lambda request: float("good" in request.messages[-1].content), rows=rows)
    for name, turns in zip(RATERS, (N, N - 4), strict=True):
        page = site.browser(name)
        for _ in range(turns):
            page.answer("tie" if "11" in page.texts else "A" if "good" in page.texts else "B")
    study = site.opened.asked.study
    assert "; 4 wait for people" in q.status(study.path).sentence, "they are still answering"
    votes = q.read_votes(study.database, announce=False)
    assert votes.n == 4 * N - 4
    agreed = q.agreement.agreement(votes, RATERS)
    assert {rate.n for rate in agreed.rates if rate.kind == "overall"} == {N}
    assert "x wins 66.7% of 42 decisive votes" in q.compare(votes, "x", "y").sentence
    levels = votes.facet("judge").levels
    models = votes.keep(np.isin(votes.column("judge"), [levels.index(name) for name in MODELS]))
    corrected = q.agreement.corrected(models, votes.only("judge", "raters 2"), "x", "y")
    assert corrected.labels == N - 4


@pytest.mark.slow
def test_scores_of_people_and_models(both):
    rows = [{"id": f"q{n}", "prompt": f"{n}", "response": "good" if good(n) else "bad"} for n in range(N)]
    site = both(
        lambda request: float("good" in request.messages[-1].content or request.cell["item"] == "q0"),
        rows=rows,
        items="items.jsonl",
        prompts=["safety"],
    )
    for name in RATERS:
        page = site.browser(name)
        for turn in range(8):
            page.answer("unsafe" if "bad" in page.texts or turn == 2 else "safe")
    table = q.read(site.opened.asked.study.database, announce=False)
    assert {*MODELS, *RATERS} == set(next(f for f in table.facets if f.name == "judge").levels)
    found = q.agreement.against(table, RATERS, splits=20, resamples=50)
    assert {one.n for one in found.configurations} == {found.items}
    assert found.items < N, "people have answered a part"
    corrected = q.agreement.corrected(table, RATERS)
    assert corrected.labels == found.items
    assert 0.2 < corrected.value < 0.9
    (caveat,) = [one for one in q.analyze(table).caveats if one.code == "unanswered-cells"]
    assert "quorate serve where people judge" in str(caveat)
