import pytest

from quorate.decide.next_step import next_step
from quorate.decide.votes import verdict_of_votes
from quorate.estimate.votes.margin import margin_of_counts, margin_of_votes
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.pilot import feasibility
from quorate.planning.power.sample_size import equivalence_size, sample_size
from quorate.wording import margin


def step(found, **options):
    return next_step(found, **{"margin": None, "alpha": 0.05, "power": 0.9, "counting": 1.0, **options})


def test_a_difference_as_found():
    found = step(margin_of_counts(56, 100, "x", "y"), price=2.0, budget=800)
    n = sample_size(0.06, method="exact")
    assert (found.toward, found.votes, found.counted, found.cost) == ("difference", n, n, 2.0 * n)
    assert found.affordable
    assert found.at_least == sample_size(margin_of_counts(56, 100, "x", "y").ends[1], method="exact")
    assert found.budget_power == pytest.approx(float(binomial.power(800, 0.56, 0.05)))


def test_equivalence_where_it_is_cheaper():
    found = step(margin_of_counts(51, 100, "x", "y"), margin=0.1)
    assert found.toward == "equivalence"
    assert found.votes == equivalence_size(0.1, true_margin=0.01)
    assert step(margin_of_counts(61, 100, "x", "y"), margin=0.1).toward == "difference"


def test_ties_are_paid_for_too():
    found = step(margin_of_counts(56, 100, "x", "y"), counting=0.5)
    n = sample_size(0.06, method="exact")
    assert 2 * n <= found.votes <= 2 * n + 10
    assert found.counted == found.votes // 2


def test_votes_that_resemble_each_other_cost_more(between):
    prompts = [f"p{i // 4}" for i in range(224)] + [f"q{i // 4}" for i in range(176)]
    found = margin_of_votes(between(224, 176, prompt=prompts), "x", "y", cluster="prompt")
    taken = step(found)
    assert taken.votes == pytest.approx(4 * sample_size(0.06, method="normal"), rel=0.02)
    assert (taken.cluster, taken.units) == (("prompt",), (taken.votes // 4,))
    assert f"votes in {taken.units[0]:,} levels of prompt would find" in taken.sentence


def test_votes_and_levels_are_counted_on_one_base(between):
    """Rankings give one vote each, and some of them are ties: levels are of the votes that decide."""
    rankings = [f"r{i}" for i in range(240)]
    found = margin_of_votes(between(112, 88, 40, prompt=rankings), "x", "y", cluster="prompt")
    taken = step(found, counting=200 / 240)
    assert taken.units == (taken.counted,)
    assert taken.counted < taken.votes
    said = f"{taken.votes:,} votes ({taken.counted:,} of them decisive, in {taken.units[0]:,} levels of prompt)"
    assert taken.sentence.startswith(f"A new study of {said} would")
    alone = step(margin_of_counts(56, 100, "x", "y"), counting=0.5)
    assert f"study of {alone.votes:,} votes ({alone.counted:,} of them decisive) would" in alone.sentence


def test_a_study_has_more_levels_of_every_facet(between):
    labels = {"prompt": [f"p{i % 40}" for i in range(400)], "judge": [f"j{i // 20}" for i in range(400)]}
    found = margin_of_votes(between(230, 170, **labels), "x", "y")
    taken = step(found)
    assert taken.cluster == ("prompt", "judge")
    assert taken.units == (-(-taken.votes // 10), -(-taken.votes // 20))
    said = f"{taken.units[0]:,} levels of prompt and {taken.units[1]:,} levels of judge"
    assert f"study of {taken.votes:,} votes in {said} would find" in taken.sentence


def test_nothing_decides_a_margin_of_zero():
    assert step(margin_of_counts(50, 100, "x", "y")) is None


def test_few_clusters_are_never_promised_to_decide(between):
    """Six clusters that agree but for a few votes: fewer never show a difference, whatever the formula says."""
    prompts = [f"p{i % 5}" for i in range(100)]
    found = margin_of_votes(between(93, 7, prompt=prompts), "x", "y", cluster="prompt")
    assert step(found).units >= (6,)
    unanimous = margin_of_votes(between(100, 0, prompt=prompts), "x", "y", cluster="prompt")
    assert (step(unanimous).units, step(unanimous).votes) == ((6,), 120)


def test_toward_equivalence_the_budget_is_about_equivalence():
    made = margin_of_counts(51, 100, "x", "y")
    found = step(made, margin=0.1, budget=290)
    assert found.budget_power == equivalence.power(290, 0.5 + 0.01, 0.1, 0.05)
    assert equivalence.power(290, 0.5 + found.alike_by_budget, 0.1, 0.05) == pytest.approx(0.9)
    assert found.sentence.endswith(
        f"The budget of 290 is not enough: it would show equivalence with a chance of {found.budget_power:.2f} at that "
        f"margin, and of 0.9 at a margin of {margin(found.alike_by_budget)} or less."
    )
    small = step(made, margin=0.1, budget=100)
    assert small.alike_by_budget is None
    assert small.sentence.endswith("and of 0.9 at no margin.")
    assert "see" not in small.sentence
    assert "is enough for that: it would show equivalence" in step(made, margin=0.1, budget=1000).sentence


def test_ties_as_halves_are_sized_by_the_tests_that_are_made(between):
    votes = between(33, 27, 40)
    found = step(margin_of_votes(votes, "x", "y", ties="half"))
    assert found.votes == pytest.approx(sample_size(0.05, method="exact") / 0.6, rel=0.01)
    assert step(margin_of_votes(between(50, 50, 100), "x", "y", ties="half"), margin=0.1).toward == "equivalence"
    assert step(margin_of_votes(between(0, 0, 5), "x", "y", ties="half")) is None


def test_ties_as_losses_make_nobody_worse(between):
    def against(*votes, **options):
        return step(margin_of_votes(between(*votes), "x", "y", ties="pessimistic"), **options)

    assert against(30, 28, 20, margin=0.4) is None  # trails by its ties alone, and is never shown equal
    assert against(24, 34, 20).votes == pytest.approx(sample_size(5 / 58, method="exact") * 78 / 58, rel=0.01)
    assert against(45, 20, 13).votes == sample_size(45 / 78 - 0.5, method="exact")


def test_words_of_hardly_any_votes(between):
    """One vote finds no margin, nor do three more, and the plan that it gives says what it rests on."""
    found = verdict_of_votes(between(1, 0), "x", "y", budget=3)
    assert "such votes may miss any margin, however large (power 0.9)" in found.sentence
    assert "That margin rests on 1 vote and may be almost any: a pilot takes 30 to 100." in found.sentence
    assert found.sentence.endswith("is not enough: it may miss any margin, however large.")
    assert "rests on" not in verdict_of_votes(between(6, 4), "x", "y").sentence
    assert "which rests on 1 vote and may be almost any" in feasibility(1, 1).sentence
    assert "rests on" not in feasibility(6, 10).sentence
