from __future__ import annotations

import json

import numpy as np
import pytest

import quorate as q


@pytest.mark.wide(7)
@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        ("--margin .06", "A margin of 0.06, 56% of the votes, needs 749 decisive votes", 0),
        ("--margin .06 --method normal", "needs 730 decisive votes", 0),
        ("--margin .06 --budget 500", "500 independent votes would see a margin of 0.073 or more", 2),
        ("--budget 500", "500 independent votes would see a margin of 0.073", 0),
        ("--budget 5000000", "5,000,000 independent votes would see a margin of 0.00072 or more", 0),
        ("--budget 1", "1 independent vote would see nothing, even if all agreed", 2),
        (
            "--margin .06 --budget 5",
            "needs 749 decisive votes (power 0.9); 5 independent votes would see nothing, even if all agreed",
            2,
        ),
        ("--pilot 28/50 --budget 500", "You need 749 (from 70 to no finite number)", 2),
        ("--pilot 45/50 --budget 500", "Feasible", 0),
        (
            "--margin .06 --icc .1 --cluster 3",
            "votes in clusters of 3 with an intra-cluster correlation of 0.1, 899 are worth the 749 that are needed.",
            0,
        ),
        (
            "--margin .06 --icc .1",
            "Unattainable: a margin of 0.06, 56% of the votes, needs 749 independent decisive votes",
            2,
        ),
        ("--margin .06 --icc .1 --cluster 3 --budget 898", "the budget of 898 is worth 748 independent ones", 2),
        ("--margin .06 --icc .1 --cluster 3 --budget 899", "the budget of 899 is worth 749 independent ones", 0),
        ("--pilot 60/100 --budget 300 --icc .1 --cluster 5", "Underpowered: at 214 judgments", 2),
        ("--pilot 60/100 --budget 384 --icc .1 --cluster 5", "Feasible if the pilot is right: at 274 judgments", 0),
        ("--pilot 60/100 --icc .1", "Unattainable: the pilot of 100 says a margin of 0.100", 2),
        ("--pilot 25/50 --icc .1", "no number is worth the 23 that are needed", 2),
        ("--margin .06 --icc prompt=.1,judge=.02 --cluster prompt=3,judge=40", "1,484 are worth the 749", 0),
        ("--budget 300 --icc .1 --cluster 5", "the budget of 300 is worth 214 independent ones.", 0),
        (
            "--equivalence .1",
            "To show a margin below 0.1 takes 281 decisive votes (power 0.9, if the two are exactly alike)",
            0,
        ),
        ("--equivalence .1 --margin .03", "takes 452 decisive votes (power 0.9, if the true margin is 0.03)", 0),
        ("--equivalence .1 --budget 500", "500 independent votes would show a margin below 0.073", 0),
        ("--equivalence .05 --budget 500", "takes 1,104 decisive", 2),
        ("--equivalence .1 --icc .1 --cluster 3", "338 are worth the 281 that are needed", 0),
        ("--budget 4 --icc 1 --cluster 50", "the budget of 4 is worth 1 independent one.", 2),
    ],
)
def test_how_many_are_needed(run, words, says, code):
    ran = run("plan", "--votes", *words.split())
    assert says in ran.said
    assert ran.err == ""
    assert ran.code == code


def test_a_plan_as_json(run):
    found = run("plan", "--votes", "--margin", 0.06, "--icc", 0.1, "--cluster", 3, "--json").json
    assert (found["needed"], found["clustered"]["n"]) == (749, 899)


def test_as_json_the_sentence_and_the_exit_code_are_the_same(run):
    ran = run("plan", "--votes", "--margin", 0.06, "--icc", 0.1, "--json")
    assert ran.code == 2
    assert ran.json["clustered"]["attainable"] is False
    assert ran.json["sentence"].startswith("Unattainable: ")
    pilot = run("plan", "--votes", "--pilot", "60/100", "--budget", 300, "--icc", 0.1, "--cluster", 5, "--json").json
    assert (pilot["reach"], pilot["budget"], pilot["worth"]) == ("underpowered", 300, 214)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("plan --votes", "--margin: give the margin to be seen, .03 for 53% of the votes, a --pilot, or a --budget"),
        ("plan --votes --margin .1 --pilot 3/5", "--margin: give it or --pilot, not both"),
        ("plan --votes --equivalence .1 --pilot 3/5", "--equivalence: has no plan by --pilot"),
        ("plan --votes --equivalence .1 --method variance", "--equivalence: has no plan by --method variance"),
        ("plan --votes --equivalence .1 --margin .2", "true_margin"),
        ("plan --votes --pilot three", "--pilot: expects votes for one model of all decisive ones"),
        ("plan --votes --pilot 9/5", "wins"),
        ("plan --votes --margin 0", "margin"),
        ("plan --votes --margin .1 --budget 0", "--budget"),
        (
            "plan --votes --margin .1 --cluster 3",
            "--cluster: votes of one cluster count less only if they are alike; give --icc",
        ),
        ("plan --votes --margin .6", "margin"),
        ("plan --votes --margin .1 --alpha 0", "alpha"),
    ],
)
def test_what_is_refused_in_one_line(run, words, says):
    assert says in run(*words.split()).refused()


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """80 items with scores by a judge that is half a point too kind, and by a person."""
    rng = np.random.default_rng(4)
    truth = rng.normal(5, 1, 80)
    lines = [f"i{i},c{i % 2},llm,{truth[i] + 0.5 + rng.normal(0, 0.6):.3f}" for i in range(80)]
    lines += [f"i{i},c{i % 2},ann,{truth[i]:.3f}" for i in range(80)]
    path = tmp_path_factory.mktemp("labels") / "scores.csv"
    path.write_text("item,category,judge,score\n" + "\n".join(lines) + "\n")
    return path


def test_it_says_what_the_library_says(run, scores, tmp_path):
    page = tmp_path / "labels.md"
    words = ("plan", scores, "--human", "ann", "--human-price", 1, "--judge-price", "llm=0.02")
    ran = run(*words, "--half-width", 0.1, "--strata", "category", "--report", page)
    assert (ran.code, ran.err) == (0, "")
    prices = {"human": 1.0, "judge": {"llm": 0.02}}
    plan = q.agreement.plan_labels(
        q.read(scores, announce=False), "ann", prices=prices, half_width=0.1, strata="category"
    )
    assert ran.said.startswith(plan.sentence)
    assert all(line in ran.said for line in plan.says)
    assert f"c0 50% {plan.strata[0].labels}" in ran.said
    assert plan.sentence in page.read_text()
    found = run(*words, "--half-width", 0.1, "--strata", "category", "--json").json
    assert found == json.loads(json.dumps(plan.to_dict()))


def test_what_is_refused_in_the_words_of_the_command(run, scores):
    words = ("plan", scores, "--human", "ann", "--human-price", 1)
    assert "--budget: exactly one of it, --half-width and --margin is needed" in run(*words, "--price", 1).err
    assert "one of call or judge" in run(*words, "--budget", 9).err
    assert "--margin: is between two systems; name them with --a" in run(*words, "--price", 1, "--margin", 1).err


def test_plans_are_drawn_printed_and_written(run, crossed, tmp_path):
    (tmp_path / "scores.csv").write_text(crossed(items=24))
    options = ("--budgets", "12,36", "--runs", "2", "--seed", "3")
    ran = run("validate", "scores.csv", *options, "--json", "--report", "page.md")
    assert (ran.code, ran.err) == (0, "")
    wanted = q.scores.validate(q.read("scores.csv", announce=False), [12, 36], runs=2, rng=3)
    page = (tmp_path / "page.md").read_text()
    assert wanted.sentence in page
    assert "A pilot asks for" in page
    assert [one["rmse"] for one in ran.json["cells"]] == [one.rmse for one in wanted.cells]
    assert 'plans: must be one of naive, standard, optimal, got "best"' in (
        run("validate", "scores.csv", *options, "--plans", "best").err.replace("'", '"')
    )
