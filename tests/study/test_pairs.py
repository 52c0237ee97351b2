"""Pairs of two named systems: laid out, asked, and read back as votes with what is known of the judge recovered."""

import hashlib
import json

import numpy as np
import pytest

import quorate as q
from quorate.decide.votes import verdict_of_votes
from quorate.errors import InvalidData, InvalidInput
from quorate.estimate.agreement.battles import position_bias
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.study.offer import offer_of
from quorate.study.questions import questions

NAMED = {"file": "items.jsonl", "system_a": "by_a", "system_b": "by_b"}
BETTER, BIAS, TIES = 0.25, 0.12, 0.1


def rows(count, *, systems=("amber", "basalt"), **more):
    both = [systems if n % 2 else systems[::-1] for n in range(count)]
    return [
        {"id": f"q{n}", "by_a": a, "by_b": b, "prompt": f"p{n}", "response_a": f"by {a}", "response_b": f"by {b}"}
        | more
        for n, (a, b) in enumerate(both)
    ]


def chance(*parts):
    return int(hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12


def leaning(request):
    """Prefers amber, and what is shown first; knows what is first by what it is shown."""
    text = request.messages[-1].content
    first = "amber" if text.index("by amber") < text.index("by basalt") else "basalt"
    at = [request.cell[name] for name in ("item", "order", "replicate", "prompt")]
    if chance("tie", *at) < TIES:
        return "tie"
    share = 0.5 + (BETTER if first == "amber" else -BETTER) + BIAS
    return "A" if chance("side", *at) < share else "B"


def test_a_study_of_pairs_gives_votes_with_what_the_judge_is_like(study):
    path = study(rows=rows(60), items=NAMED, prompts=["pairwise", "pairwise-reasoned"], order="both", replicates=2,
                 temperatures=[0.0], budget={"calls": 5000})  # fmt: skip
    votes = q.run(path, judges={"rule": leaning})
    assert (votes.models, votes.rows, votes.n) == (("amber", "basalt"), 480, 480)
    assert set(votes.names) == {"prompt", "judge", "variant", "temperature", "replicate"}
    assert votes.dated
    assert votes.tie_share == pytest.approx(TIES, abs=0.035)
    won = votes.wins("amber", "basalt") / votes.n_decisive
    assert won == pytest.approx(0.5 + BETTER, abs=0.05)
    assert q.compare(votes, "amber", "basalt", cluster="prompt").outcome.value == "better"
    ratings = q.rank(votes, position=True, ties="drop", cluster="prompt")
    ahead, shown = expected_logits()
    assert ratings.systems[0] == "amber"
    assert ratings.position.value == pytest.approx(shown, abs=0.2)
    assert 2 * ratings.values[0] == pytest.approx(ahead, abs=0.2)
    (bias,) = position_bias(votes)
    assert bias.bias == pytest.approx(BIAS * (1 - TIES), abs=0.035)
    assert (bias.battles, bias.p < 0.001) == (60, True)


def expected_logits():
    """What the judge's chances are in the terms of a rating: how far amber is ahead, and what being first adds."""
    when_first, when_second = (np.log(p / (1 - p)) for p in (0.5 + BETTER + BIAS, 0.5 - BETTER + BIAS))
    return (when_first - when_second) / 2, (when_first + when_second) / 2


def test_the_votes_are_those_that_the_judge_gave(study):
    """Every row against the judge asked again: whoever was listed or shown first, the vote is for the same system."""
    path = study(rows=rows(6), items=NAMED, prompts=["pairwise"], order="both")
    said = {}

    def judge(request):
        text = request.messages[-1].content
        first, second = sorted(("amber", "basalt"), key=lambda name: text.index(f"by {name}"))
        verdict = ("A", "B", "tie")[int(3 * chance(request.cell["item"], request.cell["order"]))]
        said[request.cell["item"], first] = {"A": first, "B": second, "tie": "tie"}[verdict]
        return verdict

    votes = q.run(path, judges={"rule": judge})
    levels, models = votes.facet("prompt").levels, votes.models
    found = {}
    for row in range(votes.rows):
        first = models[(votes.model_a, votes.model_b)[votes.order[row]][row]]
        won = {0: models[votes.model_a[row]], 1: models[votes.model_b[row]], 2: "tie"}[int(votes.outcome[row])]
        found[levels[votes.column("prompt")[row]], first] = won
    assert found == said
    assert len(said) == 12


def test_votes_that_are_not_there_are_said_with_every_result(study):
    path = study(items=NAMED, rows=rows(30), prompts=["pairwise"], budget={"calls": 20})
    votes = q.run(path, judges={"rule": leaning})
    said = "10 of 30 planned cells are not answered (rule: 10): the panel is not complete; "
    said += "quorate run goes on, and quorate serve where people judge"
    assert [one.sentence for one in votes.source.caveats] == [said]
    assert said in [one.sentence for one in q.doctor(votes).findings if one.severity == "warning"]
    assert said in [one.sentence for one in verdict_of_votes(votes, "amber", "basalt", cluster="prompt").caveats]
    assert said in [one.sentence for one in q.rank(votes).caveats]


@pytest.mark.slow
def test_one_order_is_known_too(study):
    for order, first in ((None, 1.0), ("listed", 1.0), ("swapped", 0.0)):
        path = study(rows=rows(4), items=NAMED, prompts=["pairwise"], order=order, ledger=f"{order}.db")
        votes = q.run(path, judges={"rule": lambda _: "A"})
        listed_first = (votes.order == 0) != votes.swapped
        assert listed_first.mean() == first
        assert ((votes.outcome == 0) == (votes.order == 0)).all()


def test_failures_are_missing_and_categories_are_types_of_prompts(study):
    items = [{**row, "kind": "a" if n < 4 else "b"} for n, row in enumerate(rows(6))]
    path = study(rows=items, items=NAMED | {"category": "kind"}, prompts=["pairwise"])
    votes = q.run(path, judges={"rule": lambda request: None if request.cell["item"] == "q1" else "B"})
    assert (votes.rows, votes.n, votes.statuses["unparsed"]) == (6, 5, 1)
    assert votes.facet("prompt_type").levels == ("a", "b")


@pytest.mark.slow
def test_one_prompt_may_be_answered_by_several_pairs(study):
    three = [("x", "y"), ("y", "z"), ("x", "z")]
    items = [
        {"id": f"q{n}", "by_a": a, "by_b": b, "prompt": "p", "response_a": f"by {a}", "response_b": f"by {b}"}
        for n in range(4)
        for a, b in three
    ]
    path = study(rows=items, items=NAMED, prompts=["pairwise"], layout="factorial")
    votes = q.run(path, judges={"rule": lambda _: "A"})
    assert (len(votes.facet("prompt").levels), len(votes.pairs()), votes.rows) == (4, 3, 12)
    ratings = q.rank(votes, regularisation=0.5)
    assert len(ratings.systems) == 3


@pytest.mark.slow
def test_the_ledger_is_read_by_every_command_as_votes(study, tmp_path, monkeypatch, capsys):
    from quorate.cli import main

    both = {name: {"kind": "python"} for name in "xy"}
    path = study(rows=rows(60), items=NAMED, prompts=["pairwise"], order="both", judges=both, budget={"calls": 240})
    q.run(path, judges=dict.fromkeys("xy", leaning))
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()

    def said(*words, code=0):
        found, text = main(words), capsys.readouterr()
        assert found == code, text.err
        return " ".join(text.out.split())

    assert "amber is better than basalt" in said("compare", "study.db", "amber", "basalt", "--cluster", "prompt")
    assert "amber is better than basalt" in json.loads(said("analyze", "study.db", "--json"))["sentence"]
    assert "amber is first of 2 systems" in said("rank", "study.db", "--ties", "drop")
    assert "better" in (alone := said("compare", "study.db", "amber", "basalt"))
    assert "with these 2 judges" in alone  # who may agree by chance: of others like them nothing is said
    assert "of 60 battles as people do" in said("judges", "--agree", "study.db", "--human", "x")
    assert "holds votes: 5 of 10 analyses are possible" in said("doctor", "study.db")


def test_scores_and_votes_are_not_taken_for_each_other(study):
    path = study(rows=rows(4), items=NAMED, prompts=["pairwise"])
    q.run(path, judges={"rule": lambda _: "A"})
    ledger = path.with_suffix(".db")
    assert q.read(ledger, announce=False).models == q.read_votes(ledger, announce=False).models
    with pytest.raises(InvalidInput, match=r"holds votes between two systems: leave out what is for scores"):
        q.read(ledger, kind="scores")
    scores = q.read(ledger, facets={"item": "item", "judge": "judge"})
    assert (scores.n_answers, set(scores.mean.tolist())) == (4, {1.0})
    single = study(ledger="scores.db")
    q.run(single, judges={"rule": lambda _: 5})
    with pytest.raises(InvalidInput, match=r"holds scores and does not name two systems: use quorate.read"):
        q.read_votes(single.with_name("scores.db"))


REFUSED = {
    "mixed": ({"prompts": ["pairwise", "safety"]}, "pairwise compares two responses and safety judges one"),
    "single": ({"prompts": ["score"]}, "items.system_a: score judges one response"),
    "expected": ({"prompts": {"p": {"built_in": "pairwise", "expected": True}}}, "prompts.p: the answer .* is a vote"),
    "scale": (
        {"prompts": {"own": {"file": "own.j2", "scale": [1, 7]}}},
        r"prompts.own: the answer on two named systems is a vote; give a file the scale \[0, 1\]",
    ),
    "half": ({"items": {"file": "items.jsonl", "system_a": "by_a"}}, "items: give both system_a and system_b"),
    "both": ({"items": NAMED | {"system": "by_a"}}, "system is for single responses"),
    "column": ({"items": NAMED | {"system_a": "nobody"}}, "items.system_a"),
    "itself": ({"rows": rows(2, by_a="one", by_b="one")}, 'row 1: compares "one" with itself'),
    "twice": ({"rows": rows(2, id="q", by_a="x", by_b="y")}, 'row 2: "q" of "x" against "y" stands twice'),
    "adaptive": ({"adaptive": {"batch": 4}}, "adaptive: policies measure scores, not votes"),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED)
def test_what_gives_no_votes_is_refused_before_anything_is_asked(study, tmp_path, changes, said):
    (tmp_path / "own.j2").write_text("{{ first }} or {{ second }}?")
    path = study(**{"rows": rows(4), "items": NAMED, "prompts": ["pairwise"], **changes})
    with pytest.raises((InvalidInput, InvalidData), match=said):
        questions(load(path))


def test_an_own_prompt_may_vote(study, tmp_path):
    (tmp_path / "own.j2").write_text("{{ first }} or {{ second }}?")
    own = {"file": "own.j2", "scale": [0, 1], "labels": {"A": 1.0, "B": 0.0}}
    votes = q.run(study(rows=rows(4), items=NAMED, prompts={"own": own}), judges={"rule": lambda _: "B"})
    assert (votes.n_decisive, votes.wins("amber", "basalt")) == (4, 2)


@pytest.mark.slow
def test_recorded_votes_are_replayed_from_a_ledger_and_from_a_table(study, tmp_path):
    settings = {"rows": rows(20), "items": NAMED, "prompts": ["pairwise"], "order": "both", "replicates": 2}
    first = q.run(study(**settings, ledger="first.db"), judges={"rule": leaning})
    again = q.run(study(**settings, judges={"rule": {"kind": "replay", "table": "first.db"}}))
    assert sorted(zip(*key(first), strict=True)) == sorted(zip(*key(again), strict=True))
    lines = [f"q{n},rule,{order},{int(order == 'listed')}" for n in range(20) for order in ("listed", "swapped")]
    (tmp_path / "first.csv").write_text("\n".join(["item,judge,order,score", *lines]) + "\n")
    table = {"rule": {"kind": "replay", "table": "first.csv"}}
    votes = q.run(study(**{**settings, "replicates": 1}, judges=table, ledger="table.db"))
    assert (votes.wins("amber", "basalt"), votes.wins("basalt", "amber")) == (20, 20)


def key(votes):
    columns = [votes.column(name) for name in ("prompt", "replicate")]
    return [column.tolist() for column in (*columns, votes.model_a, votes.model_b, votes.order, votes.outcome)]


def test_votes_are_bought_until_it_is_known_who_is_preferred(study):
    goal = {"prefer": ["amber", "basalt"], "margin": 0.15}
    path = study(rows=rows(300), items=NAMED, prompts=["pairwise"], order="both", budget={"calls": 600}, goal=goal)
    said = []
    carried = carry_out(load(path), judges={"rule": leaning}, on_look=said.append)
    assert (said[-1].ending.value, said[-1].outcome) == ("reached", "better")
    assert said[-1].low <= BETTER <= said[-1].high
    assert carried.outcome.complete
    assert said[-1].judgments == q.status(path).cells < 600
    assert carried.reached.startswith(f"round {len(said)} of at most 5: margin of votes for amber 0.2")


def test_people_of_a_study_vote_on_a_part(study):
    judges = {"ana": {"kind": "person", "price": 0.5}, "rule": {"kind": "python", "price": {"call": 0.01}}}
    goal = {"prefer": ["amber", "basalt"]}
    path = study(rows=rows(60), items=NAMED, prompts=["pairwise"], judges=judges, budget={"money": 40}, goal=goal)
    asked = questions(load(path))
    offer = offer_of(asked)
    assert (offer.people, offer.prices) == (("ana",), {"ana": 0.5, "rule": 0.01})
