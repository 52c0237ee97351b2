"""Studies with a goal: two systems, judges that are functions, and a rule of looks that costs nothing to compute."""

from __future__ import annotations

import hashlib

import numpy as np

from quorate.decide.goals.goal import Spent
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.plans import crossed, nothing

JUDGES = {name: {"kind": "python", "price": {"call": 0.01}} for name in "abcd"}
SCORES = {"file": "items.jsonl", "system": "s"}


def rows(items=60, systems=("x", "y")):
    """Items that two systems have answered."""
    return [
        {"id": f"q{n}", "s": system, "prompt": "p", "response": f"{system} {n}"}
        for n in range(items)
        for system in systems
    ]


def settings(**changes):
    """Arguments of the fixture ``study`` for a study of two systems."""
    goal = {"compare": ["x", "y"], "margin": 0.5}
    usual = {"rows": rows(), "items": SCORES, "judges": JUDGES, "goal": goal, "looks": 4, "budget": {"money": 20}}
    return {**usual, **changes}


def drawn(*key):
    """A standard normal number that follows from the names given."""
    text = "/".join(map(str, key)).encode()
    return np.random.default_rng(int(hashlib.sha256(text).hexdigest()[:12], 16)).normal()


def scored(gap=0.3, noise=0.8):
    """A judge for whom the system x is better by about ``gap``."""

    def judge(request):
        cell = request.cell
        own = drawn(cell["item"]) + 0.2 * drawn(cell["judge"]) + noise * drawn(*sorted(cell.items()))
        return int(np.clip(round(5 + gap * (cell["system"] == "x") + own), 1, 10))

    return judge


def functions(judge):
    """The functions of all judges."""
    return dict.fromkeys(JUDGES, judge)


def two_more(ending=Ending.REACHED, rounds=3):
    """A pilot of two items and looks that buy two more, for the statistics, which take longer."""

    def crossed_by(offer, items):
        return crossed(offer, {"item": items, "judge": 2, "prompt": 1, "replicate": 1})

    def pilot(_, offer):
        return crossed_by(offer, 2)

    def look(_, offer, table, past, spent):
        number, value = len(past) + 1, float(np.mean(table.mean))
        cells = crossed_by(offer, 2 * (number + 1))
        ended = Ending.BUDGET if offer.left(spent) < 1e-6 else ending if number == rounds else None
        buys = Spent(0) if ended else Spent(8, 0.08)
        own = {"judgments": int(table.n.sum()), "spent": spent, "ending": ended, "buys": buys}
        part = {"fraction": number / rounds, "alpha": 0.05 * number / rounds, "bound": 2.0}
        found = Look(number, offer.looks, value=value, se=0.1, df=9.0, low=value - 1, high=value + 1, **part, **own)
        return found, nothing(offer) if ended else cells

    return {"quorate.study.status.pilot": pilot, "quorate.study.status.look": look}
