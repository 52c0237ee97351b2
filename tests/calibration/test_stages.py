"""Votes bought in two stages: size whatever the first chose, power as simulated of the rule itself, coverage."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from quorate.decide.goals import rounds
from quorate.decide.goals.goal import Offer, Spent, StagedGoal
from quorate.decide.goals.rounds import TwoStages
from quorate.simulate.two_stage import regime, simulate_two_stage

TYPES, EACH, BUDGET = 20, 150, 1000
LAWS = {
    "no difference": np.zeros(TYPES),
    "concentrated": regime("concentrated"),
    "diffuse": regime("diffuse"),
    "opposite": regime("concentrated") * np.where(np.arange(TYPES) % 2, 1, -1),
}
NAMES = tuple(f"i{n}" for n in range(TYPES * EACH))
KIND = tuple(f"t{n % TYPES:02}" for n in range(TYPES * EACH))


@dataclass
class Drawn:
    """Votes on what was bought so far, which are shares already."""

    said: dict = field(default_factory=dict)

    @property
    def n(self):
        return len(self.said)

    rows = n

    def pair(self, *_):
        return self

    def add(self, cells, margins, rng):
        for at in cells.code("item").tolist():
            name = cells.levels["item"][at]
            self.said[name] = float(rng.random() < 0.5 + margins[int(name[1:]) % TYPES])


@pytest.mark.parametrize("studies", [150, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", LAWS)
def test_size_power_and_coverage(law, studies, monkeypatch):
    """Monte Carlo error of .05 from 2,000 studies: .005; of a power of .5: .011."""
    monkeypatch.setattr(rounds, "shares_of", lambda votes, *_: votes.said)
    margins, rng = LAWS[law], np.random.default_rng(11)
    made = TwoStages(StagedGoal("x", "y"), Offer(items=NAMES, judges=("m",), categories=KIND, calls=BUDGET))
    first, found, covered = made.pilot(), [], []
    for _ in range(studies):
        votes = Drawn()
        votes.add(first, margins, rng)
        seen, second = made.look(votes, [], Spent(len(first)))
        votes.add(second, margins, rng)
        last, _ = made.look(votes, [seen], Spent(BUDGET))
        kept = [int(name[1:]) for name in seen.design["kept"]]
        truth = float(np.average(margins[kept], weights=seen.design["votes"]))
        found.append(last.outcome)
        covered.append(last.low <= truth <= last.high)
    rejected = np.mean([one != "undecided" for one in found])
    expected = simulate_two_stage(margins, [BUDGET], studies=20_000).power["two-stage"][0]
    error = np.sqrt(max(expected * (1 - expected), 0.04) / studies)
    print(f"\n{law}: claims {rejected:.3f}, by the rule {expected:.3f} ({error:.3f}), covers {np.mean(covered):.3f}")
    assert abs(rejected - expected) <= 3 * error
    assert np.mean(covered) >= 0.95 - 3 * np.sqrt(0.0475 / studies)
    if law == "no difference":
        assert rejected <= 0.05 + 3 * np.sqrt(0.0475 / studies)
