"""What the models of log odds take and refuse."""

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable


def table(score, **options):
    """Twelve items by three judges under two prompts."""
    rows = [(f"i{i}", f"j{j}", f"p{p}", score(i, j, p)) for i in range(12) for j in range(3) for p in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    return q.read(frame, announce=False, **options)


MIXED = np.random.default_rng(4).random((12, 3, 2))


def mixed(i, j, p):
    return int(MIXED[i, j, p] < 0.3 + 0.2 * j + 0.2 * (i % 2))


def test_terms_are_those_of_the_scores_as_numbers_without_cells_judged_once():
    fit = q.decompose(table(mixed), link="logit", method="pirls")
    assert set(fit.variances) == set(fit.linear.variances) - {"cell + replicate"}
    assert {one.name for one in fit.components} == {one.name for one in fit.linear.components}
    assert q.decompose(table(mixed), link="ordinal", method="pirls").deviance == pytest.approx(fit.deviance)


def test_labels_of_scores_do_not_matter():
    one, two = (
        q.decompose(table(score), link="logit", method="pirls") for score in (mixed, lambda *at: 3 - 2 * mixed(*at))
    )
    assert two.variances == pytest.approx(one.variances, abs=1e-4)
    assert two.mean.value == pytest.approx(3 - 2 * one.mean.value, abs=1e-4)


@pytest.mark.parametrize(("options", "error"), [
    ({"link": "probit"}, "link: one of 'identity', 'logit', 'ordinal' is needed, got 'probit'"),
    ({"link": "logit", "method": "reml"}, "method: with a link, one of 'laplace', 'pirls' is needed, got 'reml'"),
    ({"method": "pirls"}, "method: one of 'reml', 'ml', 'anova' is needed, got 'pirls'"),
    ({"link": "logit", "residual_by": "judge"}, "residual_by: is for scores as numbers, not with a link"),
    ({"link": "logit", "interval": "robust"}, "interval: is for scores as numbers, not with a link"),
])  # fmt: skip
def test_options_that_contradict_each_other(options, error):
    with pytest.raises(InvalidInput, match=error):
        q.decompose(table(mixed), **options)


def test_a_judge_who_always_says_the_same_has_infinite_log_odds():
    with pytest.raises(NotEstimable, match="judge j2 always has the highest score, so its log odds are infinite"):
        q.decompose(table(lambda i, j, p: 1 if j == 2 else mixed(i, j, p)), link="logit")


def test_a_random_judge_who_always_says_the_same_is_no_trouble():
    judgments = table(lambda i, j, p: 1 if j == 2 else mixed(i, j, p), fixed=())
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
