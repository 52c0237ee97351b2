from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.planning.power.clusters import clustered_sample_size, effective_judgments


@pytest.mark.parametrize(
    ("effective", "icc", "n"),
    [
        (26, 0, 26),
        (26, 1e-4, 27),
        (26, 1e-3, 27),
        (26, 1e-2, 35),
        (1051, 0, 1051),
        (1051, 1e-4, 1175),
        (26, 0.037, 659),
    ],
)
def test_numbers_of_table_3_rounded_up(effective, icc, n):
    """Lee (2026) prints floors: 26, 26, 26, 34 and 1174."""
    assert clustered_sample_size(effective, icc=icc).n == n


@pytest.mark.parametrize("icc", [1e-3, 1e-2])
def test_beyond_the_ceiling_no_number_suffices_and_the_result_says_so(icc):
    found = clustered_sample_size(1051, icc=icc)
    assert found.n is found.clusters is found.design_effect is None
    assert not found.attainable
    assert found.sentence.startswith(
        f"Unattainable: judgments of one cluster with an intra-cluster correlation of {icc:g}"
    )
    assert f"less than {round(1 / icc):,} independent ones, and 1,051 are needed" in found.sentence


def test_it_is_unattainable_exactly_where_the_product_reaches_one():
    assert clustered_sample_size(99, icc=0.01).n == 9801
    assert clustered_sample_size(100, icc=0.01).n is None
    assert clustered_sample_size(3, icc=1 / 3).n is None


@given(st.integers(1, 10**5), st.floats(0, 0.2))
def test_one_cluster_is_worth_what_was_asked_and_one_judgment_less_is_not(effective, icc):
    found = clustered_sample_size(effective, icc=icc)
    if found.n is None:
        assert effective * icc >= 1 - 1e-9
    elif effective * icc < 0.999:
        assert effective_judgments(found.n, icc=icc) >= effective * (1 - 1e-9)
        assert found.n == 1 or effective_judgments(found.n - 1, icc=icc) < effective * (1 + 1e-9)
        assert found.ceiling > effective


@given(st.integers(1, 10**4), st.floats(0, 1), st.integers(1, 50))
def test_many_clusters_are_worth_what_was_asked(effective, icc, size):
    found = clustered_sample_size(effective, icc=icc, cluster=size)
    assert found.attainable
    assert found.clusters * size >= found.n or found.cluster is None
    assert effective_judgments(found.n, icc=icc, cluster=min(size, found.n)) >= effective * (1 - 1e-9)


def test_many_small_clusters_need_the_design_effect():
    found = clustered_sample_size(1051, icc=0.01, cluster=5)
    assert (found.n, found.clusters, found.cluster) == (1094, 219, 5)
    assert found.design_effect == pytest.approx(1.04)
    assert found.ceiling == np.inf


def test_unequal_clusters_count_by_the_mean_square_over_the_mean():
    """Sizes 1, 2, 9: a judgment finds itself among 86/12 on average, not among 4."""
    found = clustered_sample_size(1051, icc=0.01, cluster=[1, 2, 9])
    assert found.design_effect == pytest.approx(1 + (86 / 12 - 1) * 0.01)
    assert found.cluster == 4
    assert found.n > clustered_sample_size(1051, icc=0.01, cluster=4).n


def test_the_design_effect_is_the_variance_of_a_mean_of_correlated_votes():
    sizes, icc = np.array([1, 2, 9]), 0.3
    member = np.repeat(np.arange(3), sizes)
    correlation = np.where(member[:, None] == member, icc, 0.0)
    np.fill_diagonal(correlation, 1)
    assert 12 / effective_judgments(12, icc=icc, cluster=sizes) == pytest.approx(correlation.sum() / 12)


def test_single_votes_have_no_design_effect():
    assert clustered_sample_size(500, icc=0.9, cluster=1).n == 500
    assert effective_judgments(500, icc=0.9, cluster=[1] * 500) == 500


def test_a_cluster_that_holds_it_all_is_one_cluster():
    assert clustered_sample_size(26, icc=0.01, cluster=1000) == clustered_sample_size(26, icc=0.01)


def test_one_judgment_is_worth_one():
    assert clustered_sample_size(1, icc=1).n == 1
    assert clustered_sample_size(5, icc=1, cluster=3).n == 15


@pytest.mark.parametrize("icc", [-0.1, 1.1, np.nan, "high"])
def test_what_is_no_correlation_is_refused(icc):
    with pytest.raises(InvalidInput, match="icc: must be from 0 to 1, got"):
        clustered_sample_size(26, icc=icc)


@pytest.mark.parametrize("cluster", [0.5, [3, 0], np.nan, np.inf, [], [[2, 3]]])
def test_what_is_no_cluster_is_refused(cluster):
    with pytest.raises(InvalidInput, match="cluster: a number of judgments"):
        clustered_sample_size(26, icc=0.1, cluster=cluster)


def test_what_is_no_number_of_judgments_is_refused():
    with pytest.raises(InvalidInput, match="effective: a number of judgments"):
        clustered_sample_size(0, icc=0.1)
    with pytest.raises(InvalidInput, match="n: a number of judgments"):
        effective_judgments(2.5, icc=0.1)


def test_facets_that_cross_add_their_design_effects():
    """1 + 2 * .1 + 39 * .02; clusters are no larger than the study; one facet is the number of old."""
    icc, cluster = {"prompt": 0.1, "judge": 0.02}, {"prompt": 3, "judge": 40}
    found = clustered_sample_size(749, icc=icc, cluster=cluster)
    assert (found.design_effect, found.n) == (pytest.approx(1.98), 1484)
    assert found.clusters == {"prompt": 495, "judge": 38}
    assert (
        "in clusters of 3 by prompt and 40 by judge with intra-cluster correlations of 0.1 by prompt" in found.sentence
    )
    assert (
        effective_judgments(found.n, icc=icc, cluster=cluster)
        >= 749
        > effective_judgments(1482, icc=icc, cluster=cluster)
    )
    alone = clustered_sample_size(749, icc={"prompt": 0.1}, cluster={"prompt": 3})
    assert alone.n == clustered_sample_size(749, icc=0.1, cluster=3).n
    small = clustered_sample_size(10, icc={"prompt": 0.1, "judge": 0.02}, cluster={"prompt": 3, "judge": 1000})
    assert (small.n, small.clusters["judge"]) == (15, 1)
    assert json.loads(json.dumps(found.to_dict()))["icc"] == icc


@pytest.mark.parametrize("cluster", [None, 3, {"prompt": 3}, {"prompt": 3, "item": 2}])
def test_every_facet_with_a_correlation_has_a_size(cluster):
    with pytest.raises(InvalidInput, match="cluster: names the facets that icc names"):
        clustered_sample_size(749, icc={"prompt": 0.1, "judge": 0.02}, cluster=cluster)
