from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.errors import NotEstimable, UnknownTerm
from quorate.estimate.votes.margin import margin_of_votes, order_effect
from quorate.estimate.votes.well_sampled_pairs import matched, rows_on, same_levels, shared


def test_independent_votes_are_tested_exactly(between):
    """R: binom.test(70, 100) gives p 7.85e-05 and an interval from 0.6002 to 0.7876."""
    found = margin_of_votes(between(70, 30, 20), "x", "y")
    assert found.value == pytest.approx(0.2)
    assert found.p_difference() == pytest.approx(7.85e-05, rel=1e-3)
    assert found.ends == pytest.approx((0.10018, 0.28759), abs=1e-4)
    assert found.effect == 1


def test_ties(between):
    votes = between(60, 20, 20)
    values = {ties: margin_of_votes(votes, "x", "y", ties=ties).value for ties in ("drop", "half", "pessimistic")}
    assert values == pytest.approx({"drop": 0.25, "half": 0.2, "pessimistic": 0.1})


def test_halves_are_a_one_sample_t_test(between):
    found = margin_of_votes(between(60, 20, 20), "x", "y", ties="half")
    scores = np.repeat([1.0, 0.0, 0.5], [60, 20, 20])
    assert found.se == pytest.approx(scores.std(ddof=1) / 10)
    assert found.df == 99


def test_clusters_of_one_size_are_a_t_test_of_their_means(between):
    prompts = [f"p{i % 10}" for i in range(100)]
    found = margin_of_votes(between(70, 30, prompt=prompts), "x", "y", cluster="prompt")
    means = np.array([np.mean([i < 70 for i in range(100) if i % 10 == p]) for p in range(10)])
    assert found.value == pytest.approx(means.mean() - 0.5)
    assert found.se in (pytest.approx(means.std(ddof=1) / np.sqrt(10)), pytest.approx(math.nan, nan_ok=True))
    assert found.clusters == (10,)


def test_clusters_of_one_vote_are_tested_exactly(between):
    votes = between(70, 30, prompt=[f"p{i}" for i in range(100)])
    alone, single = margin_of_votes(votes, "x", "y", cluster="prompt"), margin_of_votes(votes, "x", "y", cluster=())
    assert alone.exact == single.exact == (70, 100)
    assert alone.ends == single.ends


def test_copies_of_votes_add_nothing_when_clustered(between):
    once = margin_of_votes(between(30, 20, prompt=[f"p{i}" for i in range(50)]), "x", "y", cluster="prompt")
    prompts = [f"p{i // 4}" for i in range(120)] + [f"p{30 + i // 4}" for i in range(80)]
    copied = margin_of_votes(between(120, 80, prompt=prompts), "x", "y", cluster="prompt")
    assert (copied.value, copied.se, copied.df) == pytest.approx((once.value, once.se, 49))
    assert copied.icc == (1,)
    assert copied.effect == pytest.approx(4 * 200 * 0.6 * 0.4 / 49)


def test_unanimous_clusters_count_as_one_vote_each(between):
    found = margin_of_votes(between(100, 0, prompt=[f"p{i % 5}" for i in range(100)]), "x", "y", cluster="prompt")
    assert found.exact == (5, 5)
    assert found.p_difference() == pytest.approx(2 / 2**5)
    assert math.isnan(found.se)
    assert found.effect == 20


def test_all_ties_as_halves_show_no_difference(between):
    found = margin_of_votes(between(0, 0, 40), "x", "y", ties="half")
    assert found.p_difference() == 1
    assert found.ends[0] < 0 < found.ends[1]


def test_votes_that_share_a_prompt_are_not_taken_as_independent_in_silence(between):
    shared = between(6, 4, prompt=["p", "q"] * 5)
    assert [c.code for c in margin_of_votes(shared, "x", "y", cluster=()).caveats] == ["taken-as-independent"]
    assert [c.code for c in margin_of_votes(shared, "x", "y", cluster="prompt").caveats] == ["few-clusters"]
    named = margin_of_votes(shared, "x", "y", cluster="prompt")
    assert repr(margin_of_votes(shared, "x", "y")) == repr(named)  # the standard error is not a number
    assert not margin_of_votes(between(6, 4), "x", "y").caveats


def test_refusals(between):
    with pytest.raises(NotEstimable, match="none between"):
        margin_of_votes(between(0, 0, 5), "x", "y")
    with pytest.raises(NotEstimable, match="one prompt"):
        margin_of_votes(between(3, 2, prompt=["p"] * 5), "x", "y", cluster="prompt")
    with pytest.raises(NotEstimable, match="1 vote"):
        margin_of_votes(between(1, 0), "x", "y", ties="half")
    with pytest.raises(UnknownTerm):
        margin_of_votes(between(3, 2), "x", "y", cluster="judge")


def test_equivalence_is_shown_where_its_interval_lies_within_the_margin(between):
    prompts = [f"p{i % 40}" for i in range(400)]
    for ties, cluster in (("drop", ()), ("half", ()), ("half", "prompt"), ("drop", "prompt")):
        for wins in range(130, 191, 10):
            votes = between(wins, 320 - wins, 80, prompt=prompts)
            found = margin_of_votes(votes, "x", "y", ties=ties, cluster=cluster)
            low, high = found.equivalence_interval(0.05).ends
            for margin in (0.03, 0.08, 0.15):
                assert (found.p_equivalence(margin) <= 0.05) == (-margin < low <= high < margin)
            assert low <= found.value <= high
            if not (ties == "half" and cluster == ()):
                assert (low, high) == found.at(0.9).ends


def test_the_equivalence_interval_exists_at_the_ends(between):
    for counts in ((0, 0, 20), (20, 0, 0), (0, 20, 5)):
        low, high = margin_of_votes(between(*counts), "x", "y", ties="half").equivalence_interval().ends
        assert -0.5 <= low <= high <= 0.5
    assert margin_of_votes(between(20, 0), "x", "y", ties="half").equivalence_interval().high == 0.5


def test_too_few_clusters_show_no_difference(between):
    found = margin_of_votes(between(60, 40, prompt=[f"p{i % 4}" for i in range(100)]), "x", "y", cluster="prompt")
    assert found.p_difference() >= found.least_p == 1 / 8
    assert found.sizes.tolist() == [25] * 4
    assert "sizes" not in found.to_dict()


@pytest.mark.parametrize("cluster", [None, "prompt"])
def test_votes_without_an_outcome_are_a_caveat_of_their_pair(cluster):
    rows = [("x", "y", outcome, f"p{n}") for n, outcome in enumerate(["model_a"] * 14 + ["model_b"] * 7 + [None] * 19)]
    rows += [("x", "z", "model_a", "p0"), ("x", "z", None, "p1"), ("y", "z", "model_b", "p0")]
    votes = votes_table(rows, "model_a model_b winner prompt")
    said = [one.sentence for one in margin_of_votes(votes, "y", "x", cluster=cluster).caveats]
    lost = "19 of 40 votes (47.5%) have no usable outcome; the estimate is right only if they are missing at random"
    assert lost in said
    assert "missing" not in {one.code for one in margin_of_votes(votes, "y", "z").caveats}


def crossed(between, prompts=12, judges=6):
    """Every judge on every prompt; judges differ."""
    won = [(i // judges) % 3 + i % judges > 3 for i in range(prompts * judges)]
    order = np.argsort([not one for one in won], kind="stable")
    labels = {"prompt": [f"p{i // judges}" for i in order], "judge": [f"j{i % judges}" for i in order]}
    return between(sum(won), len(won) - sum(won), **labels)


def test_all_facets_that_repeat_are_clusters_by_default(between):
    votes = crossed(between)
    found = margin_of_votes(votes, "x", "y")
    one_way = [margin_of_votes(votes, "x", "y", cluster=name) for name in found.cluster]
    assert found.cluster == ("prompt", "judge")
    assert found.clusters == (12, 6)
    assert found.se >= max(one.se for one in one_way)
    assert found.effective == pytest.approx(6)
    assert found == margin_of_votes(votes, "x", "y", cluster=("prompt", "judge"))


def test_the_caveat_names_the_facet_with_the_largest_effect(between):
    votes = crossed(between)
    caveat = margin_of_votes(votes, "x", "y", cluster=()).caveats[0]
    assert "prompt and judge (most by judge: " in caveat.sentence
    assert 'cluster=("prompt", "judge")' in caveat.sentence
    by_prompt = margin_of_votes(votes, "x", "y", cluster="prompt").caveats
    assert [one.code for one in by_prompt] == ["taken-as-independent", "few-clusters"]
    assert "but for their prompt, yet some share their judge" in by_prompt[0].sentence


def test_one_judge_is_no_cluster_and_is_said(between):
    found = margin_of_votes(between(6, 4, judge=["a"] * 10), "x", "y")
    assert found.cluster == ()
    assert [one.code for one in found.caveats] == ["one-level"]


SIZES = {"equal": [20] * 6, "one of half": [110, *[10] * 11], "two of half": [55, 55, *[1] * 10]}


@pytest.mark.parametrize(("sizes", "least"), [("equal", 2**-5), ("one of half", 2**-11), ("two of half", 0.381)])
def test_the_smallest_p_value_is_the_chance_that_all_lean_as_the_largest(between, sizes, least):
    """Two people with nearly all votes agree by chance half of the time; one with half of them settles nothing."""
    each = SIZES[sizes]
    label = np.repeat([f"j{g}" for g in range(len(each))], each)
    won = np.concatenate([np.arange(n) < round(0.85 * n) - g % 2 for g, n in enumerate(each)])
    order = np.argsort(~won, kind="stable")
    found = margin_of_votes(between(int(won.sum()), int((~won).sum()), judge=label[order]), "x", "y")
    assert found.least_p == pytest.approx(least, abs=0.005)
    assert found.p_difference() >= found.least_p
    assert (found.ends[0] > 0) == (found.p_difference() <= 0.05) == (sizes != "two of half")
    said = [one.sentence for one in found.caveats if one.code == "dominant-cluster"]
    assert [('50.0% of the votes are of one judge, "j0"' in one) for one in said] == [True] * (sizes == "one of half")
    # 94 of 110 count as 10 votes, beside 82 of 110 of the others
    assert ["(10) it would leave a margin of 0.255 (p" in one for one in said] == [True] * (sizes == "one of half")


def test_one_with_twice_the_votes_of_the_next_is_named_and_levels_count_as_what_they_are_worth(between):
    """40% of the votes; 25 levels of which one has half of the votes are worth 4."""
    judge = np.repeat(["a", *(f"j{g}" for g in range(3))], [20, 10, 10, 10])
    twice = margin_of_votes(between(30, 20, judge=np.roll(judge, 7)), "x", "y", cluster="judge")
    assert [one.code for one in twice.caveats] == ["few-clusters", "dominant-cluster"]
    many = np.repeat([f"j{g}" for g in range(25)], [240, *[10] * 24])
    half = margin_of_votes(between(300, 180, judge=np.roll(many, 90)), "x", "y", cluster="judge")
    assert [one.code for one in half.caveats] == ["few-clusters", "dominant-cluster"]


def test_unanimous_clusters_are_no_surer_than_the_largest_allow(between):
    people = np.repeat([f"j{g}" for g in range(12)], SIZES["two of half"])
    found = margin_of_votes(between(120, 0, judge=people), "x", "y")
    assert found.exact == (12, 12)
    assert found.p_difference() == found.least_p > 0.3
    assert found.ends[0] == 0


def shown(*blocks):
    """Blocks of how many votes, which of x and y was shown first, and how many of them x won."""
    rows = [("x", "y", "model_a" if i < won else "model_b", first) for n, first, won in blocks for i in range(n)]
    return votes_table(rows, "model_a model_b winner first", order="first")


def codes(votes):
    return [one.code for one in q.compare(votes, "x", "y").caveats]


def test_one_system_always_shown_first_is_a_caveat_of_its_lead():
    caveat = q.compare(shown((100, "x", 70)), "x", "y").caveats[0]
    assert caveat.code == "mostly-shown-first"
    assert (
        "x was shown first in 100 of 100 decisive votes (100%), so that its lead and that of being" in caveat.sentence
    )
    assert "y was shown first" in q.compare(shown((100, "y", 70)), "x", "y").caveats[0].sentence


def test_an_order_that_wins_is_a_caveat_too():
    assert codes(shown((100, "x", 75), (100, "y", 35))) == ["first-wins"]
    assert [one.code for one in q.rank(shown((100, "x", 75), (100, "y", 35))).caveats] == ["first-wins"]
    assert q.rank(shown((100, "x", 75), (100, "y", 35)), position=True).caveats == ()
    assert codes(shown((160, "x", 130), (40, "y", 10))) == ["mostly-shown-first", "first-wins"]


@pytest.mark.parametrize("blocks", [((50, "x", 30), (50, "y", 30)), ((10, "x", 6), (8, "y", 5))])
def test_nothing_is_said_of_an_order_that_is_even_and_does_nothing(blocks):
    assert codes(shown(*blocks)) == []


def of_rows(*rows, **options):
    """Rows: model written first, the other, votes for each."""
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "for_a", "for_b"], orient="row")
    return q.read_votes(frame, wins=["for_a", "for_b"], announce=False, **options)


def test_a_place_without_a_name_is_a_caveat_of_compare_and_rank_alike():
    """75% of the votes have x first, its odds there are exp(.8): it leads by its place alone."""
    votes = of_rows(("x", "y", 414, 186), ("y", "x", 138, 62))
    verdict, board = q.compare(votes, "x", "y"), q.rank(votes)
    for found in (verdict, board):
        (said,) = [one.sentence for one in found.caveats if one.code == "written-first"]
        assert said.startswith("the system written first (model_a) won 69.0% of 800 decisive votes")
    named = q.rank(of_rows(("x", "y", 414, 186), ("y", "x", 138, 62), order="model_a"), position=True)
    assert abs(named.rating[0] - named.rating[1]) < 1e-6


def test_one_stratified_test_of_the_order_as_in_r():
    """R 4.2: ``mantelhaen.test(array(c(75, 60, 25, 40, 30, 22, 10, 30), c(2, 2, 2)), correct = FALSE)`` is of the
    tables by pair and place; its chi-square by hand: (sum of a - E)^2 / sum of variances."""
    votes = of_rows(("x", "y", 75, 25), ("y", "x", 40, 60), ("y", "z", 30, 10), ("z", "y", 30, 22))
    (said,) = list(order_effect(votes))
    share = (50 * (1 + 0.75 - 0.6) + 40 * 52 / 92 * (1 + 0.75 - 22 / 52)) / (2 * (50 + 40 * 52 / 92))
    assert f"won {share:.1%} of 292 decisive votes" in said.sentence


def test_the_order_of_few_votes_has_the_variance_of_hypergeometric_counts():
    """6 of 7 and 1 of 7: (6 - 3.5) / sqrt(7 * 7 * 7 * 7 / (14^2 * 13)) is 2.575, p = .01001; without the 13, .0075."""
    assert list(order_effect(of_rows(("x", "y", 6, 1), ("y", "x", 6, 1)))) == []
    assert len(list(order_effect(of_rows(("x", "y", 7, 1), ("y", "x", 7, 1))))) == 1


def of_people(*blocks):
    """Votes by 9 people: who was written first, how many votes of each there are, and of these for x, one off."""
    rows = [
        (
            first,
            "xy".replace(first, ""),
            "x" if i < won + (person % 3 - 1) * (1 if first == "x" else -1) else "y",
            f"j{person}",
        )
        for first, n, won in blocks
        for person in range(9)
        for i in range(n)
    ]
    return votes_table(rows, "model_a model_b winner judge")


def test_by_people_both_orders_of_a_pair_weigh_alike_too():
    """x wins 8 of 10 wherever it is written, mostly first: no effect; the first wins 7 of 10: one."""
    assert list(order_effect(of_people(("x", 40, 32), ("y", 5, 4)))) == []
    (said,) = list(order_effect(of_people(("x", 20, 14), ("y", 20, 6))))
    assert "won 70.0% of 360 decisive votes" in said.sentence


def test_a_better_system_that_is_mostly_first_is_no_effect_of_the_order():
    assert list(order_effect(of_rows(("x", "y", 240, 60), ("y", "x", 20, 80)))) == []
    assert list(order_effect(of_rows(("x", "y", 90, 10), ("y", "z", 90, 10)))) == []


def test_the_order_is_judged_by_people_where_they_repeat():
    """Eight people, of whom each decides by side: 300 of 400 votes for the first are 6 of 8 people."""
    columns = {
        "model_a": ["x", "y"] * 200,
        "model_b": ["y", "x"] * 200,
        "judge": [f"j{i % 16 // 2}" for i in range(400)],
    }
    winner = ["model_a" if i % 16 // 4 else "model_b" for i in range(400)]
    votes = q.read_votes(pl.DataFrame({**columns, "winner": winner}), order="model_a", announce=False)
    assert list(order_effect(votes)) == []


def votes(*pairs):
    rows = [(a, b, "model_a") for a, b in pairs for _ in range(3)]
    return votes_table(rows, "model_a model_b winner")


def test_pairs_that_both_have_whichever_way_round():
    first, second = votes(("x", "y"), ("x", "z"), ("u", "v")), votes(("z", "x"), ("y", "x"), ("y", "z"))
    pairs, alone = shared((first, second), ("A", "B"), 3)
    assert pairs == {frozenset("xy"), frozenset("xz")}
    assert alone == [1, 1]
    kept = [table.keep(rows_on(table, pairs)) for table in (first, second)]
    order, sign = matched(*kept)
    names = [kept[1].pairs().names[at] for at in order]
    assert [set(name) for name in names] == [set(name) for name in kept[0].pairs().names]
    assert [name == own for name, own in zip(names, kept[0].pairs().names, strict=True)] == (sign > 0).tolist()


def test_none_in_common():
    with pytest.raises(NotEstimable, match="A 1 pair and B 1 pair"):
        shared((votes(("x", "y")), votes(("x", "z"))), ("A", "B"), 3)


def test_levels_are_the_same_where_each_table_shares_half_of_its_own():
    def prompted(names):
        rows = [("x", "y", "model_a", name) for name in names]
        return votes_table(rows, "model_a model_b winner prompt")

    four, other = prompted("abcd"), prompted("cdef")
    assert same_levels((four, other), ("prompt", "prompt")) == tuple("abcdef")
    assert same_levels((four, prompted("defg")), ("prompt", "prompt")) is None
    assert (
        same_levels((four, prompted("abefghijkl")), ("prompt", "prompt")) is None
    )  # half of its own, a fifth of those
    assert same_levels((four, other), ("prompt", "")) is None
