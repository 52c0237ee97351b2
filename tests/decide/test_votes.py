import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.decide.outcome import Outcome
from quorate.decide.votes import outcome_of, verdict_of_margin, verdict_of_votes
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import margin_of_counts
from quorate.estimate.votes.margins import margins
from quorate.numerics.votes import binomial
from quorate.table.read_votes import read_votes


def test_the_words_are_those_a_reader_sees():
    assert [outcome.value for outcome in Outcome] == ["better", "worse", "equivalent", "undecided"]


@pytest.mark.parametrize(
    ("wins", "losses", "margin", "outcome", "code"),
    [
        (70, 30, None, "better", 0),
        (30, 70, None, "worse", 2),
        (52, 48, None, "undecided", 2),
        (505, 495, 0.05, "equivalent", 0),
        (505, 495, None, "undecided", 2),
        (5200, 4800, 0.05, "equivalent", 0),
        (5200, 4800, 0.01, "better", 0),
    ],
)
def test_outcomes_and_exit_codes(between, wins, losses, margin, outcome, code):
    found = verdict_of_votes(between(wins, losses), "x", "y", margin=margin)
    assert found.outcome.value == outcome
    assert found.exit_code == code


def test_the_other_system_first_turns_the_verdict(between):
    votes = between(70, 30)
    one, other = verdict_of_votes(votes, "x", "y"), verdict_of_votes(votes, "y", "x")
    assert (one.outcome, other.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert one.difference.value == -other.difference.value
    assert one.p_difference == other.p_difference


def test_undecided_says_what_the_votes_could_see_and_what_would_decide(between):
    found = verdict_of_votes(between(52, 48, 25), "x", "y", budget=500, price=0.5)
    assert found.sentence == (
        "Undecided whether x or y is preferred: x wins 52.0% of 100 decisive votes (95% interval 41.8% to 62.1%). This "
        "is no sign that they are alike: so many votes see a margin of 0.166 or more (power 0.9). A new study of 8,292 "
        "votes (6,633 of them decisive) for 4,146.00 would find a difference with a chance of 0.9 if the margin is "
        "0.020 as found. It takes 233 at the very least. The budget of 500 is not enough: it would see a margin of "
        "0.083 or more."
    )


def test_one_vote_is_no_plural(between):
    assert "of 1 decisive vote (" in verdict_of_votes(between(1, 0), "x", "y").sentence


def test_a_share_is_all_only_where_it_is():
    found = verdict_of_margin(margin_of_counts(9e9, 9e9 + 1, "x", "y"))
    assert "x wins >99.9% of 9,000,000,001 decisive votes (95% interval >99.9% to >99.9%)" in found.sentence


def test_undecided_without_any_lead_asks_for_a_margin(between):
    found = verdict_of_votes(between(50, 50), "x", "y")
    assert found.next_step is None
    assert "state a margin of equivalence" in found.sentence


def test_a_small_difference_that_is_real_is_named_in_an_equivalence(between):
    found = verdict_of_votes(between(5200, 4800), "x", "y", margin=0.05)
    assert "The preference for x is real but that small." in found.sentence


def test_an_equivalence_names_the_interval_that_it_rests_on(between):
    found = verdict_of_votes(between(505, 495), "x", "y", margin=0.05)
    assert found.sentence == (
        "x and y are equivalent within 0.05: x wins 50.5% of 1,000 decisive votes (95% interval 47.4% to "
        "53.6%). This rests on the 90% interval 47.9% to 53.1%."
    )
    said = found.to_dict()
    assert (said["low"], said["high"]) == found.difference.at(0.95).ends
    assert (said["equivalence_low"], said["equivalence_high"]) == found.difference.at(0.9).ends
    assert said["equivalence_level"] == pytest.approx(0.9)
    open_ = verdict_of_votes(between(505, 495), "x", "y").to_dict()
    assert open_["equivalence_low"] is open_["equivalence_level"] is None


def test_why_no_number_of_votes_would_do(between):
    against = verdict_of_votes(between(30, 28, 20), "x", "y", ties="pessimistic")
    assert against.sentence.endswith("shows x to be worse unless it also trails without.")
    edge = verdict_of_votes(between(5, 5), "x", "y", margin=1e-9)
    assert edge.next_step is None


@given(st.integers(1, 400), st.data())
def test_an_outcome_agrees_with_its_tests(n, data):
    wins = data.draw(st.integers(0, n))
    margin = data.draw(st.sampled_from([None, 0.05, 0.1, 0.3]))
    found = margin_of_counts(wins, n, "x", "y")
    outcome = outcome_of(found, margin, 0.05)
    low, high = found.at(0.95).ends
    assert (outcome is Outcome.EQUIVALENT) <= (margin is not None)
    if outcome in (Outcome.BETTER, Outcome.WORSE):
        assert not low <= 0 <= high
    if outcome is Outcome.UNDECIDED:
        assert low <= 1e-12
        assert high >= -1e-12


def test_claims(between):
    votes = between(480, 520)
    codes = {
        claim: verdict_of_votes(votes, "x", "y", margin=0.1, claim=claim).exit_code
        for claim in ("better", "equivalent", "not worse")
    }
    assert codes == {"better": 2, "equivalent": 0, "not worse": 0}
    assert verdict_of_votes(votes, "x", "y", margin=0.04, claim="not worse").exit_code == 2


@pytest.mark.wide(2)
@pytest.mark.parametrize("margin", [None, 0.05, 0.2])
@pytest.mark.parametrize("n", [20, 101])
def test_no_truth_makes_a_false_verdict_likelier_than_the_rate_stated(between, n, margin):
    """All numbers of wins, weighed by their chance under many truths."""
    import numpy as np

    wins = np.arange(n + 1)
    said = [outcome_of(margin_of_counts(k, n, "x", "y"), margin, 0.05) for k in wins.tolist()]
    rate = verdict_of_votes(between(n // 2, n - n // 2), "x", "y", margin=margin).error_rate
    assert rate <= 0.05 * binomial.SLACK
    for p in np.linspace(0.5, 1, 51):
        chance = np.diff(binomial.lower_tail(np.arange(-1, n + 1), n, p))
        d = p - 0.5
        false = [
            outcome is Outcome.WORSE
            or (outcome is Outcome.BETTER and d == 0)
            or (outcome is Outcome.EQUIVALENT and margin is not None and d >= margin)
            for outcome in said
        ]
        assert chance[false].sum() <= rate * (1 + 1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0}, "margin"),
        ({"level": 1.0}, "level"),
        ({"claim": "best"}, "claim"),
        ({"claim": "not worse"}, "state it"),
        ({"price": -1}, "price"),
        ({"budget": 0.5}, "budget"),
        ({"ties": "lose"}, "ties"),
    ],
)
def test_refusals(between, options, message):
    with pytest.raises(InvalidInput, match=message):
        verdict_of_votes(between(5, 5), "x", "y", **options)


def votes_of(letters, prompt=None):
    """One vote for each letter: a for x, b for y, t for a tie."""
    winner = {"a": "model_a", "b": "model_b", "t": "tie"}
    columns = {"model_a": ["x"] * len(letters), "model_b": ["y"] * len(letters), "winner": [winner[c] for c in letters]}
    if prompt is not None:
        columns["prompt"] = [str(one) for one in prompt]
    return read_votes(pl.DataFrame(columns), announce=False)


def test_two_clusters_that_have_nearly_all_votes_decide_nothing():
    votes = votes_of("a" * 49 + "b" + "a" * 49 + "b" + "aaaa", [0] * 50 + [1] * 50 + [2, 3, 4, 5])
    found = verdict_of_votes(votes, "x", "y", cluster="prompt")
    assert found.outcome is Outcome.UNDECIDED
    assert found.estimate.ends[0] <= 0
    assert [caveat.code for caveat in found.caveats] == ["too-few-to-tell", "few-clusters"]


def test_six_judges_as_clusters_decide_at_95_and_it_is_said_where_they_cannot():
    votes = votes_of("a" * 60, [i % 6 for i in range(60)])
    assert verdict_of_votes(votes, "x", "y", cluster="prompt").outcome is Outcome.BETTER
    found = verdict_of_votes(votes, "x", "y", cluster="prompt", level=0.99)
    assert found.outcome is Outcome.UNDECIDED
    assert "6 prompts as clusters never show a difference at this level, which takes 8" in found.caveats[0].sentence


@pytest.mark.slow
def test_clusters_that_agree_are_as_many_votes_and_no_more():
    votes = votes_of(("a" * 15 + "b" * 7) * 3, [i // 22 for i in range(66)])
    found = verdict_of_votes(votes, "x", "y", cluster="prompt", margin=0.19)
    assert found.outcome is Outcome.UNDECIDED
    assert found.p_difference == pytest.approx(2 / 2**3)  # all three lean one way, as fair ones do so often


@pytest.mark.slow
def test_ties_as_halves_are_tested_by_what_is_decisive():
    assert verdict_of_votes(votes_of("aaaaaab"), "x", "y", ties="half").p_difference == pytest.approx(0.125)
    few = verdict_of_votes(votes_of("t" * 15 + "a"), "x", "y", ties="half", margin=0.05)
    assert few.outcome is Outcome.UNDECIDED
    many = verdict_of_votes(votes_of("t" * 300 + "ab" * 5), "x", "y", ties="half", margin=0.05)
    assert many.outcome is Outcome.EQUIVALENT


def test_ties_as_losses_alone_make_nobody_worse():
    assert verdict_of_votes(votes_of("t" * 20), "x", "y", ties="pessimistic").outcome is Outcome.UNDECIDED
    assert verdict_of_votes(votes_of("aa" + "b" * 18), "x", "y", ties="pessimistic").outcome is Outcome.WORSE
    assert verdict_of_votes(votes_of("a" * 18 + "bb"), "x", "y", ties="pessimistic").outcome is Outcome.BETTER


def test_what_is_claimed_is_shown_by_what_implies_it():
    equal = votes_of("a" * 481 + "b" * 519)
    assert verdict_of_votes(equal, "x", "y", margin=0.05, claim="not worse").exit_code == 0
    better = votes_of("a" * 540 + "b" * 460)
    found = verdict_of_votes(better, "x", "y", margin=0.1, claim="better")
    assert (found.outcome, found.exit_code) == (Outcome.EQUIVALENT, 0)


def test_a_next_step_out_of_reach_does_not_hide_the_verdict():
    votes = votes_of("a" * 45 + "b" * 55, [i // 2 for i in range(100)])
    found = verdict_of_votes(votes, "x", "y", cluster="prompt", margin=0.05)
    assert found.outcome is Outcome.UNDECIDED
    assert verdict_of_votes(votes_of("ab" * 5), "x", "y", margin=1e-9).next_step is None


def test_five_judges_are_those_there_are_and_six_show_how_others_differ():
    """Fewer are no clusters unless they are named: with these no votes, however many, would show anything at 5%."""
    rng = np.random.default_rng(5)
    prompts, judges = np.repeat(np.arange(40), 6), np.tile([*"ghijkl"], 40)
    frame = {"prompt": prompts, "judge": judges, "model_a": ["x"] * 240, "model_b": ["y"] * 240}
    rows = pl.DataFrame({**frame, "winner": rng.choice(["a", "a", "b"], 240)})
    votes, some = (q.read_votes(one, announce=False) for one in (rows, rows.filter(pl.col("judge") != "i")))
    six, five = (q.compare(one, "x", "y") for one in (votes, some))
    assert six.difference.cluster == ("prompt", "judge")
    assert five.difference.cluster == ("prompt",)
    assert five.difference.scope == "with these 5 judges"
    assert "with these 5 judges" in five.sentence
    assert "an interval for others like these takes six" in str([one.sentence for one in five.caveats])
    asked = q.compare(some, "x", "y", cluster=("prompt", "judge"))
    assert (five.outcome, asked.outcome) == ("better", "undecided")
    assert asked.p_difference >= 2**-4
    every = margins(some, minimum=2)
    assert (every.high - every.low) / 2 == pytest.approx(five.difference.at(0.95).half_width)


def test_judges_who_are_even_alike_by_chance_are_no_sure_sign():
    """Three lean by nearly as much, far less apart than independent votes: they are worth no more than these."""
    rows = [(f"p{n}", judge, "x" if n % 20 < 7 + (judge == "c") else "y") for judge in "abc" for n in range(60)]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "winner"], orient="row")
    votes = q.read_votes(frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y")), announce=False)
    found = q.compare(votes, "x", "y", cluster="judge").difference
    p = 0.5 + found.value
    assert found.se == pytest.approx(np.sqrt(p * (1 - p) / 180))
