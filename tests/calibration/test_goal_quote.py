"""What `quorate run --quote` expects of a study with a goal against what happens when such studies are run."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

import quorate as q
from quorate.decide.goals.goal import Offer, PreferGoal
from quorate.decide.goals.look import Ending
from quorate.simulate import VoteLaw
from quorate.simulate.goals.votes import vote_world
from quorate.study.file import load
from quorate.study.loop import carry_out

LAW = {"item": 0.2, "item:judge": 0.15, "cell": 0.25}
"""Of the difference of two systems."""
EFFECT, ITEMS, JUDGES = 0.15, 800, ("a", "b", "c")


def written(folder):
    """A study whose judges give any number."""
    rows = [
        {"id": f"q{n}", "prompt": "p", "response": f"{system} {n}", "system": system}
        for n in range(ITEMS)
        for system in ("x", "y")
    ]
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "rate.j2").write_text("Rate {{ response }}.")
    content = {
        "items": {"file": "items.jsonl", "system": "system"},
        "judges": {name: {"kind": "python", "price": {"call": 0.01}} for name in JUDGES},
        "prompts": {"rate": {"file": "rate.j2", "scale": [-100, 100], "integer": False}},
        "goal": {"compare": ["x", "y"], "margin": 0.15},
        "budget": {"money": 24},
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(content))
    return folder / "study.yaml"


def carried(path, number):
    """The last look of one such study, whose scores are drawn anew."""
    rng = np.random.default_rng([11, number])
    sizes = {"item": (ITEMS, 2, 1), "item:judge": (ITEMS, 2, 3), "cell": (ITEMS, 2, 3)}
    scores = sum(rng.normal(0, np.sqrt(LAW[term] / 2), size) for term, size in sizes.items())

    def judge(request):
        cell = request.cell
        at = int(cell["item"][1:]), "xy".index(cell["system"]), JUDGES.index(cell["judge"])
        return float(scores[at] + EFFECT * (cell["system"] == "x"))

    carry_out(load(path), judges=dict.fromkeys(JUDGES, judge))
    last = q.status(path).looks[-1]
    for file in path.parent.glob("study.db*"):
        file.unlink()
    return last


def held(folder, studies, simulated):
    """Spend and share of studies that reached the goal, each with its standard error, and the quote."""
    path = written(folder)
    quote = q.quote(path, components=LAW, effect=EFFECT, studies=simulated)
    last = [carried(path, number) for number in range(studies)]
    money = np.array([one.spent.money for one in last])
    reached = float(np.mean([one.ending is Ending.REACHED for one in last]))
    print(f"quoted {quote.spent:.2f}, spent {money.mean():.2f} +- {money.std() / np.sqrt(studies):.2f}")
    print(f"quoted chance {quote.chance:.3f}, reached {reached:.3f} of {studies}")
    return quote, money, reached


def test_the_quote_is_what_happens(tmp_path):
    """Within 3 Monte Carlo standard errors of both sides."""
    quote, money, reached = held(tmp_path, 25, 60)
    error = np.hypot(money.std() / 5, quote.rates.money_error)
    assert abs(money.mean() - quote.spent) < 3 * error
    assert abs(reached - quote.chance) < 3 * np.sqrt(0.1 * 0.9 * (1 / 25 + 1 / 60))


@pytest.mark.slow
def test_the_quote_is_within_a_tenth_of_what_200_studies_spend(tmp_path):
    quote, money, reached = held(tmp_path, 200, 200)
    assert abs(money.mean() / quote.spent - 1) < 0.1
    assert abs(reached - quote.chance) < 0.1


KINDS, DIFFERING = ("prose", "verse"), {"prose": 0.4, "verse": 0.0}


def by_category(folder):
    """A study of two categories, of which three items in four are of the second."""
    rows = [
        {"id": f"q{n}", "prompt": "p", "response": f"{system} {n}", "system": system, "kind": KINDS[n % 4 > 0]}
        for n in range(ITEMS)
        for system in ("x", "y")
    ]
    path = written(folder)
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    content = yaml.safe_load(path.read_text())
    content["items"]["category"] = "kind"
    content["goal"] |= {"by": "category", "margin": 0.25}
    path.write_text(yaml.safe_dump(content))
    return path


def carried_by_category(path, number, told):
    """What one such study spent, whether it reached its goal, and if ``told`` what is then quoted, and in hindsight."""
    rng = np.random.default_rng([13, number])
    sizes = {"item": (ITEMS, 2, 1), "item:judge": (ITEMS, 2, 3), "cell": (ITEMS, 2, 3)}
    scores = sum(rng.normal(0, np.sqrt(LAW[term] / 2), size) for term, size in sizes.items())

    def judge(request):
        cell = request.cell
        item = int(cell["item"][1:])
        gap = DIFFERING[KINDS[item % 4 > 0]] * (cell["system"] == "x")
        return float(scores[item, "xy".index(cell["system"]), JUDGES.index(cell["judge"])] + gap)

    carry_out(load(path), judges=dict.fromkeys(JUDGES, judge))
    last = q.status(path).looks[-1]
    after = (q.quote(path, studies=10).spent, q.interim(path).path.fixed) if told else None
    for file in path.parent.glob("study.db*"):
        file.unlink()
    return last.spent.money, last.ending is Ending.REACHED, after


@pytest.mark.slow
@pytest.mark.parametrize(("studies", "told"), [(100, 40)])
def test_the_quote_of_a_goal_by_category_is_what_happens(tmp_path, studies, told):
    """Within 3 Monte Carlo standard errors, as assumed and as the answers at the end say."""
    path = by_category(tmp_path)
    quote = q.quote(path, components=LAW, effect=DIFFERING, studies=3 * studies)
    money, reached, after = zip(*(carried_by_category(path, n, n < told) for n in range(studies)), strict=True)
    spent, error = np.mean(money), np.std(money) / np.sqrt(studies)
    again, fixed = np.array([one for one in after if one is not None], dtype=float).T
    print(f"quoted {quote.spent:.2f}, spent {spent:.2f} +- {error:.2f}")
    print(f"quoted chance {quote.chance:.3f}, reached {np.mean(reached):.3f}")
    print(f"quoted by the answers at the end {again.mean():.2f} +- {again.std() / np.sqrt(told):.2f}")
    print(f"one look {quote.fixed:.2f}, in hindsight {np.median(fixed):.2f} at the median of {len(fixed)}")
    assert abs(spent - quote.spent) < 3 * np.hypot(error, quote.rates.money_error)
    assert abs(spent - again.mean()) < 3 * np.hypot(error, again.std() / np.sqrt(told))
    assert abs(np.mean(reached) - quote.chance) < 3 * np.sqrt(0.1 * 0.9 * (1 / studies + 1 / quote.rates.studies))


VOTES, MARGIN, BATTLES = VoteLaw(ties=0.1, icc=0.4), 0.12, 1200


def written_votes(folder):
    """A study of votes of three models on battles of two systems."""
    texts = {"prompt": "p", "response_a": "by x", "response_b": "by y"}
    rows = [{"id": f"q{n}", "x": "x", "y": "y", **texts} for n in range(BATTLES)]
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    content = {
        "items": {"file": "items.jsonl", "system_a": "x", "system_b": "y"},
        "judges": {name: {"kind": "python", "price": {"call": 0.01}} for name in JUDGES},
        "prompts": ["pairwise"],
        "goal": {"prefer": ["x", "y"], "margin": MARGIN},
        "budget": {"money": 30},
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(content))
    return folder / "study.yaml"


def voted(path, number):
    """The last look of one such study, whose votes are drawn anew."""
    offer = Offer(tuple(f"q{n}" for n in range(BATTLES)), JUDGES, calls=1)
    world = vote_world(PreferGoal("x", "y"), offer, VOTES, MARGIN, np.random.default_rng([12, number]))

    def judge(request):
        at = int(request.cell["item"][1:]), 0, JUDGES.index(request.cell["judge"])
        return ("A", "B", "tie")[world.outcome[at]]

    carry_out(load(path), judges=dict.fromkeys(JUDGES, judge))
    last = q.status(path).looks[-1]
    for file in path.parent.glob("study.db*"):
        file.unlink()
    return last


@pytest.mark.parametrize("studies", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_the_quote_of_votes_is_what_happens(tmp_path, studies):
    """Within a tenth, and 3 Monte Carlo standard errors of both sides."""
    path = written_votes(tmp_path)
    quote = q.quote(path, effect=MARGIN, tie_share=VOTES.ties, icc=VOTES.icc, studies=200)
    last = [voted(path, number) for number in range(studies)]
    money = np.array([one.spent.money for one in last])
    reached, error = float(np.mean([one.ending is Ending.REACHED for one in last])), money.std() / np.sqrt(studies)
    print(f"quoted {quote.spent:.2f}, spent {money.mean():.2f} +- {error:.2f} in {studies}")
    print(f"quoted chance {quote.chance:.3f}, reached {reached:.3f}")
    assert abs(money.mean() - quote.spent) < 0.1 * quote.spent + 3 * np.hypot(error, quote.rates.money_error)
    assert abs(reached - quote.chance) < 0.03 + 3 * np.sqrt(0.1 * 0.9 * (1 / studies + 1 / 200))
