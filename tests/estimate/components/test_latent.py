"""What a latent decomposition says of its components, beside the linear ones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from reference.links_cases import SIMULATED
from scipy.integrate import quad
from scipy.stats import norm
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import Marginal
from quorate.planning.panel.strategies import compare_strategies

CASE = SIMULATED["cells"]


@pytest.fixture(scope="module")
def fit():
    rows = CASE.rows().with_row_index("replicate")
    facets = {name: name for name in (*CASE.facets, "replicate")}
    return q.decompose(q.read(rows, facets=facets, announce=False), link="logit", random=["item", "prompt", "cell"])


@pytest.mark.slow
def test_shares_are_of_all_components_and_the_level_1_variance(fit):
    parts = {one.name: one for one in fit.components}
    assert sum(one.share for one in parts.values()) == pytest.approx(1)
    assert parts["replicate"].variance == fit.variance("replicate") == np.pi**2 / 3
    assert parts["judge"].kind == "sensitivity"
    assert parts["item"].linear == next(one.share for one in fit.linear.components if one.name == "item")


def test_intervals_hold_the_estimate_and_are_wide_for_few_levels(fit):
    for one in fit.components:
        if one.kind == "random":
            assert one.low <= one.variance <= one.high
            assert one.se > 0
    assert fit.variance("prompt") == 0
    assert "boundary" in {caveat.code for caveat in fit.caveats}


def test_terms_by_name(fit):
    assert fit.variance("cell") == fit.variance("judge:item:prompt") == fit.variances["cell"]
    assert fit.variance("judge") == fit.sensitivity("judge")
    with pytest.raises(UnknownTerm):
        fit.variance("item:prompt")


def test_rows_and_words(fit):
    assert [row["term"] for row in fit.rows()] == [one.name for one in fit.components]
    assert "Spearman's correlation of the two orders of components is" in fit.sentence
    assert "deviance" in fit.to_dict()
    assert -1 <= fit.rank_correlation <= 1
    assert fit.fixed_effects["(Intercept)"][0] == -fit.thresholds[0]


@pytest.mark.parametrize("plan", [q.scores.gaming, compare_strategies, q.compare])
def test_strategies_and_comparisons_refuse_log_odds_by_name(fit, plan):
    options = {q.compare: {"a": "x", "b": "y"}}
    with pytest.raises(InvalidInput, match="components of log odds are of another scale than scores"):
        plan(fit, **options.get(plan, {}))


def test_interactions_of_few_answers_a_level_are_said_to_be_too_small(fit):
    few = {caveat.code: caveat.sentence for caveat in fit.caveats}["few-answers-a-level"]
    assert "cell (" in few
    assert "item (" not in few


@pytest.mark.calibration
def test_how_much_too_small_they_are():
    """60 items, 4 prompts, 3 judges, twice: 6 and 8 answers a level; .49 is found .66 and .68 times as large (.05)."""
    ratios = []
    for study in range(25):
        rng = np.random.default_rng(study)
        item, prompt, judge, replicate = np.indices((60, 4, 3, 2)).reshape(4, -1)
        eta = rng.normal(0, 1, 60)[item] + rng.normal(0, 0.4, 4)[prompt] + rng.normal(0, 0.7, (60, 4))[item, prompt]
        eta = eta + rng.normal(0, 0.7, (60, 3))[item, judge]
        scores = (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int)
        frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": scores})
        terms = ("item", "prompt", "item:prompt", "item:judge")
        found = q.decompose(q.read(frame, announce=False), link="logit", random=terms)
        ratios.append([found.variance("item:prompt") / 0.49, found.variance("item:judge") / 0.49])
    assert np.mean(ratios, axis=0) == pytest.approx([0.66, 0.68], abs=0.15)


def table(share, seed=2, marks=1):
    """Sixty items by two judges under three prompts, with effects of items."""
    rng = np.random.default_rng(seed)
    logit = np.log(share / (1 - share)) + rng.normal(0, 1, 60)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.binomial(marks, 1 / (1 + np.exp(-logit[i] - 0.3 * j)))))
        for i in range(60) for j in range(2) for p in range(3)
    ]  # fmt: skip
    return scores_table(rows, "item judge prompt score")


@pytest.mark.wide(1)
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_balanced_data_have_about_their_raw_mean(share):
    judgments = table(share)
    fit = q.decompose(judgments, link="logit", random=["item", "prompt"])
    raw = float(judgments.n @ judgments.mean / judgments.n_answers)
    assert fit.mean.value == pytest.approx(raw, abs=0.005)
    low, high = fit.mean.ends
    assert 0 < low < fit.mean.value < high < 1


def test_marks():
    fit = q.decompose(table(0.9, marks=4), link="ordinal", random=["item", "prompt"])
    low, high = fit.mean.at(0.8).ends
    assert 0 < low < fit.mean.value < high < 4
    assert fit.mean.value == pytest.approx(fit.linear.mean.value, abs=0.03)


def test_products_of_fixed_facets_have_no_mean():
    rng = np.random.default_rng(3)
    rows = [(f"i{i}", f"j{j}", f"s{s}", int(rng.random() < 0.6)) for i in range(30) for j in range(2) for s in range(2)]
    judgments = scores_table(rows, "item judge system score", fixed=("judge", "system"))
    fit = q.decompose(judgments, link="logit", random=["item"], covariates=["judge:system"])
    with pytest.raises(NotEstimable, match='the mean over "judge:system" is not known'):
        fit.mean  # noqa: B018


def scored(score, **options):
    """Twelve items by three judges under two prompts."""
    rows = [(f"i{i}", f"j{j}", f"p{p}", score(i, j, p)) for i in range(12) for j in range(3) for p in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    return q.read(frame, announce=False, **options)


MIXED = np.random.default_rng(4).random((12, 3, 2))


def mixed(i, j, p):
    return int(MIXED[i, j, p] < 0.3 + 0.2 * j + 0.2 * (i % 2))


def test_terms_are_those_of_the_scores_as_numbers_without_cells_judged_once():
    fit = q.decompose(scored(mixed), link="logit", method="pirls")
    assert set(fit.variances) == set(fit.linear.variances) - {"cell + replicate"}
    assert {one.name for one in fit.components} == {one.name for one in fit.linear.components}
    assert q.decompose(scored(mixed), link="ordinal", method="pirls").deviance == pytest.approx(fit.deviance)


@pytest.mark.slow
def test_labels_of_scores_do_not_matter():
    one, two = (
        q.decompose(scored(score), link="logit", method="pirls") for score in (mixed, lambda *at: 3 - 2 * mixed(*at))
    )
    assert two.variances == pytest.approx(one.variances, abs=1e-4)
    assert two.mean.value == pytest.approx(3 - 2 * one.mean.value, abs=1e-4)


@pytest.mark.parametrize(("options", "error"), [
    ({"link": "probit"}, 'link: must be one of identity, logit, ordinal, got "probit"'),
    ({"link": "logit", "method": "reml"}, "method: with a link, one of 'laplace', 'pirls' is needed, got 'reml'"),
    ({"method": "pirls"}, 'method: must be one of reml, ml, anova, got "pirls"'),
    ({"link": "logit", "residual_by": "judge"}, "residual_by: is for scores as numbers, not with a link"),
    ({"link": "logit", "interval": "robust"}, "interval: is for scores as numbers, not with a link"),
])  # fmt: skip
def test_options_that_contradict_each_other(options, error):
    with pytest.raises(InvalidInput, match=error):
        q.decompose(scored(mixed), **options)


def test_a_judge_who_always_says_the_same_has_infinite_log_odds():
    with pytest.raises(NotEstimable, match="judge j2 always has the highest score, so its log odds are infinite"):
        q.decompose(scored(lambda i, j, p: 1 if j == 2 else mixed(i, j, p)), link="logit")


def test_a_random_judge_who_always_says_the_same_is_no_trouble():
    judgments = scored(lambda i, j, p: 1 if j == 2 else mixed(i, j, p), fixed=())
    assert np.isfinite(q.decompose(judgments, link="logit", random=["item", "judge"]).deviance)


def sparse(seed):
    """60 items by 3 prompts by 2 judges, 0/1 scores of which 80% are 1."""
    rng = np.random.default_rng(seed)
    odds = 1.8 + rng.normal(0, 1, (60, 1, 1)) + rng.normal(0, 0.7, (60, 3, 1)) + rng.normal(0, 0.5, (1, 3, 1))
    score = rng.random((60, 3, 2)) < 1 / (1 + np.exp(-odds))
    item, prompt, judge = (at.ravel() for at in np.indices(score.shape))
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score.ravel().astype(int)}
    return q.read(pl.DataFrame(columns), announce=False)


@pytest.mark.slow
def test_a_variance_without_end_leaves_the_fit_that_has_one():
    """lme4 1.1-31, glmer(..., binomial, nAGQ = 1) returns a variance of 624 for such a table, and thousands at .95."""
    judgments = sparse(35)
    with pytest.raises(NotEstimable, match=r'item:prompt grows without end.*method="pirls"'):
        q.decompose(judgments, link="logit", method="laplace")
    fit = q.decompose(judgments, link="logit")
    assert (fit.method, fit.endless) == ("pirls", ("item:prompt",))
    assert fit.variances == q.decompose(judgments, link="logit", method="pirls").variances
    assert [one.code for one in fit.caveats].count("endless-variance") == 1
    assert q.decompose(sparse(0), link="logit").method == "laplace"


ITEM, BOTH = frozenset({"item"}), frozenset({"item", "judge"})


def share(x):
    return 1 / (1 + np.exp(-x))


def scores(at, item=1.0, both=0.5, low=0.0, steps=(1.0,)):
    levels = {"judge": np.arange(len(at))}
    return Marginal(np.array(at, dtype=float), levels, {ITEM: item, BOTH: both}, low, np.array(steps))


def test_variances_are_those_of_integrals():
    """One judge: the mean of a share and of its square, over normal log odds, by adaptive quadrature."""
    found, sd = scores([[1.2]]), np.sqrt(1.5)
    mean, square = (quad(lambda u, k=k: share(1.2 + sd * u) ** k * norm.pdf(u), -9, 9, epsabs=1e-10)[0] for k in (1, 2))
    assert found.means[0] == pytest.approx(mean, abs=1e-9)
    assert found.shared(BOTH) == pytest.approx(square - mean**2, abs=1e-9)
    assert found.variance == pytest.approx(mean * (1 - mean))


def test_judges_differ_and_agree():
    """Of two judges what an item has is what they share, and of one what it has with itself."""
    rng = np.random.default_rng(1)
    item, both = rng.normal(size=100_000), np.sqrt(0.5) * rng.normal(size=(2, 100_000))
    first, second = share(-1 + item + both[0]), share(2 + item + both[1])
    found = scores([[-1.0], [2.0]])
    assert found.shared(ITEM) == pytest.approx(np.cov(first, second)[0, 1], rel=0.03)
    assert found.shared(BOTH) == pytest.approx((first.var() + second.var()) / 2, rel=0.03)
    assert found.shared(frozenset()) == pytest.approx(0, abs=1e-12)


def test_marks_as_numbers():
    """Three marks, from a logistic law cut at two places."""
    rng = np.random.default_rng(2)
    item = rng.normal(size=100_000)
    seen = [item + np.sqrt(0.5) * rng.normal(size=100_000) + rng.logistic(size=100_000) for _ in range(2)]
    a, b = (1.0 + (one > -1.0) + 2.0 * (one > 0.5) for one in seen)
    found = scores([[1.0, -0.5]], low=1.0, steps=(1.0, 2.0))
    assert found.means[0] == pytest.approx(a.mean(), abs=0.02)
    assert found.variance == pytest.approx(a.var(), rel=0.03)
    assert found.shared(ITEM) == pytest.approx(np.cov(a, b)[0, 1], rel=0.05)


def test_without_effects_nothing_is_shared():
    found = scores([[0.3]], item=0.0, both=0.0)
    assert found.shared(BOTH) == pytest.approx(0, abs=1e-12)
    assert found.variance == pytest.approx(share(0.3) * share(-0.3))
