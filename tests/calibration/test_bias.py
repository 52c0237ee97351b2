"""How often intervals of biases and of self-preference cover, and how often tests cry wolf, on scores simulated item
by item: judges of unequal noise, items that judges and systems see differently, prompts, gaps, one judge per item.

Every test prints what it measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.panel.bias import judge_bias, self_preference
from quorate.estimate.panel.judge_means import judge_means
from quorate.estimate.panel.reversals import reversals
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

UNEQUAL = (0.2, 0.4, 0.6, 0.9, 1.2)
EQUAL = (0.7,) * 5
JUDGES = tuple("abcde")
SYSTEMS = ("a", "b", "z")


@dataclass(frozen=True)
class Panel:
    """Standard deviations of an item-by-judge-by-system table, prompts crossed with it if there are any.

    ``seen_by`` is how differently judges, and systems, take the items; ``gaps`` of the scores are missing, and all
    scores of ``pairs`` of the pairs of item and system.
    """

    items: int
    noise: tuple[float, ...] = UNEQUAL
    mean: tuple[tuple[float, ...], ...] = ((0.0,) * 3,) * 5
    prompts: int = 1
    gaps: float = 0.0
    pairs: float = 0.0
    seen_by: float = 0.7
    paired: bool = True
    cyclic: bool = False

    def draws(self, count: int, seed: int) -> Iterator[Judgments]:
        rng = np.random.default_rng(seed)
        return (self._draw(rng) for _ in range(count))

    def _draw(self, rng: np.random.Generator) -> Judgments:
        k, s, v = len(self.noise), len(self.mean[0]), self.prompts
        items = self.items if self.paired else self.items * s
        score = np.array(self.mean)[None, :, :, None] + rng.normal(size=(items, 1, 1, 1))
        by_judge, by_system = rng.normal(size=(items, k, 1, 1)), rng.normal(size=(items, 1, s, 1))
        score = score + self.seen_by * by_judge + self.seen_by * by_system
        if v > 1:
            score = score + 0.3 * rng.normal(size=(1, 1, 1, v)) + 0.3 * rng.normal(size=(1, k, 1, v))
            score = score + 0.3 * rng.normal(size=(1, k, s, v)) + 0.3 * rng.normal(size=(items, k, s, 1))
        score = score + np.array(self.noise)[None, :, None, None] * rng.normal(size=(items, k, s, v))
        return self._judged(score, rng)

    def _judged(self, score: np.ndarray, rng: np.random.Generator) -> Judgments:
        codes = np.column_stack([axis.ravel() for axis in np.indices(score.shape)]).astype(np.int32)
        facets = (
            Facet("item", "item", tuple(map(str, range(len(score)))), parent=None if self.paired else "system"),
            Facet("judge", "judge", JUDGES[: score.shape[1]], fixed=True),
            Facet("system", "system", SYSTEMS[: score.shape[2]]),
            Facet("prompt", "prompt", tuple(map(str, range(score.shape[3])))),
        )
        flat, one = score.ravel(), np.ones(score.size, dtype=np.int64)
        table = Judgments(facets, "item", "score", codes, one, flat, 0 * flat, flat, flat, {"ok": one})
        kept = rng.random(score.size) >= self.gaps
        if self.pairs:
            both = rng.random((len(score), 1, score.shape[2], 1)) >= self.pairs
            kept &= np.broadcast_to(both, score.shape).ravel()
        if self.cyclic:
            kept &= codes[:, 0] % score.shape[1] == codes[:, 1]
        return table.keep(kept if self.paired else kept & (codes[:, 0] // self.items == codes[:, 2]))


def biased(own: float = 0.8) -> tuple[tuple[float, ...], ...]:
    """Five judges of unequal leniency, of whom a and b are systems and prefer themselves."""
    mean = np.array([0.0, 0.5, -0.5, 0.2, 0.0])[:, None] + np.array([0.0, 0.3, -0.3])
    mean[[0, 1], [0, 1]] += own
    return tuple(map(tuple, mean))


def true_biases(panel: Panel) -> np.ndarray:
    mean = np.array(panel.mean)
    cells = mean - mean.mean(axis=0)
    return np.concatenate([cells.mean(axis=1), cells.ravel()])


def rate(hits: list) -> np.ndarray:
    return np.mean(hits, axis=0)


def covered(rows, truth) -> list[bool]:
    return [row.low < value < row.high for row, value in zip(rows, truth, strict=True)]


@pytest.mark.parametrize(
    ("panel", "count", "spare"),
    [
        (Panel(20, mean=biased()), 500, 0.02),
        (Panel(80, mean=biased()), 500, 0.02),
        (Panel(20, mean=biased(), paired=False), 500, 0.02),
        (Panel(20, mean=biased(), gaps=0.1), 250, 0.02),
        pytest.param(Panel(80, mean=biased(), gaps=0.1), 300, 0.02, marks=pytest.mark.slow),
        (Panel(20, EQUAL, mean=biased(), gaps=0.1), 250, 0.02),
        (Panel(80, mean=biased(), cyclic=True), 300, 0.02),
        (Panel(12, EQUAL[:3], mean=biased()[:3], prompts=6), 200, 0.03),
        (Panel(12, EQUAL[:3], mean=biased()[:3], prompts=6, gaps=0.1), 150, 0.03),
    ],
    ids=["20", "80", "20 unpaired", "20 gaps", "80 gaps", "20 gaps equal", "80 cyclic", "prompts", "prompts gaps"],
)
def test_intervals_of_biases_and_of_self_preference_cover(panel, count, spare, request):
    """Averages over judges are held to 93 to 97% (more where fewer draws can tell); each judge is printed."""
    started, truth, bias, own = time.process_time(), true_biases(panel), [], []
    for judgments in panel.draws(count, 20261121):
        found = judge_bias(judgments)
        bias.append(covered([*found.overall, *found.by_system], truth))
        own.append(covered(self_preference(found.means).preferences, [0.8, 0.8]))
    judges = len(panel.noise)
    overall, cells, self_ = rate(bias)[:judges], rate(bias)[judges:], rate(own)
    print(
        f"{request.node.callspec.id}: bias {overall.mean():.3f} (by judge {overall.round(3)}), judge by system "
        f"{cells.mean():.3f} (least {cells.min():.3f}), self-preference {self_.round(3)}, {found.means.method}, "
        f"{count} tables, {time.process_time() - started:.1f} s"
    )
    for measured in (overall.mean(), cells.mean(), self_.mean()):
        assert abs(measured - 0.95) <= spare


@pytest.mark.parametrize(
    ("panel", "count"),
    [
        (Panel(20), 600),
        (Panel(80), 600),
        (Panel(20, paired=False), 600),
        (Panel(20, gaps=0.1), 250),
        (Panel(12, EQUAL[:3], mean=((0.0,) * 3,) * 3, prompts=6), 200),
    ],
    ids=["20", "80", "20 unpaired", "20 gaps", "prompts"],
)
def test_joint_tests_keep_their_size(panel, count, request):
    found = [judge_bias(judgments) for judgments in panel.draws(count, 20261122)]
    joint = rate([one.joint.p < 0.05 for one in found])
    interaction = rate([one.interaction.p < 0.05 for one in found])
    named = rate([bool(one.lenient or one.strict) for one in found])
    print(
        f"{request.node.callspec.id}: judges alike {joint:.3f}, judge by system {interaction:.3f}, any lenient or "
        f"strict {named:.3f} ({count} tables)"
    )
    slack = 3 * np.sqrt(0.05 * 0.95 / count)
    assert max(joint, interaction, named) <= 0.05 + max(slack, 0.01)


SPARSE = {"noise": (0.2, 2.0, 0.2), "mean": ((0.0,) * 2,) * 3, "gaps": 0.2, "pairs": 0.3}
"""Two systems, each absent from 3 items of 10, and a fifth of the other scores; a judge that is ten times as noisy."""


@pytest.mark.parametrize(
    ("panel", "count", "most"),
    [
        (Panel(15, **SPARSE), 500, 0.08),
        pytest.param(Panel(15, **SPARSE | {"noise": EQUAL[:3]}), 1000, 0.08, marks=pytest.mark.slow),
        pytest.param(Panel(15, **SPARSE | {"gaps": 0.0}), 1000, 0.08, marks=pytest.mark.slow),
        pytest.param(Panel(15, **SPARSE | {"gaps": 0.1, "pairs": 0.0}), 1000, 0.07, marks=pytest.mark.slow),
        pytest.param(Panel(15, **SPARSE, seen_by=0.0), 1000, 0.09, marks=pytest.mark.slow),
        pytest.param(Panel(25, **SPARSE), 1000, 0.07, marks=pytest.mark.slow),
        pytest.param(Panel(25, **SPARSE, seen_by=0.0), 1000, 0.07, marks=pytest.mark.slow),
        pytest.param(Panel(50, **SPARSE), 1000, 0.065, marks=pytest.mark.slow),
        pytest.param(Panel(50, **SPARSE, seen_by=0.0), 1000, 0.065, marks=pytest.mark.slow),
    ],
    ids=["15", "15 equal", "15 whole pairs", "15 few", "15 alike", "25", "25 alike", "50", "50 alike"],
)
def test_few_items_with_gaps_reject_a_little_too_often(panel, count, most, request):
    judges, one = np.eye(3) - 1 / 3, np.array([1.0, -1.0])
    bias, system = judges[:, :, None] * np.full(2, 0.5), np.full((1, 3, 1), 1 / 3) * one
    weights = np.concatenate([bias, system, judges[:, :, None] * one])
    rejected, joint = [], []
    for table in panel.draws(count, 20261125):
        try:
            means = judge_means(table)
        except (NotEstimable, NotConverged):
            continue
        assert bool(means.caveats) is (means.reason != "" and means.n_items < 30)
        rejected.append(means.contrast(weights).p < 0.05)
        tests = [means.joint(weights[rows]) for rows in (slice(1, 3), slice(5, 7))]
        joint.append([test is not None and test.p < 0.05 for test in tests])
    each = rate(rejected)
    print(
        f"{request.node.callspec.id}: at 5%, judges {each[:3].round(3)}, systems {each[3]:.3f}, judge by system "
        f"{each[4:].round(3)}, average {each.mean():.3f}; joint {rate(joint).round(3)}; {len(rejected)} tables"
    )
    assert len(rejected) > 0.9 * count
    assert 0.035 <= each.mean() <= most


def ahead(lead: float) -> tuple[tuple[float, ...], ...]:
    """Four judges see system a ahead of the others, judge a sees no difference."""
    return ((0.0,) * 3, *((lead, 0.0, 0.0),) * 4)


@pytest.mark.parametrize("against", ["panel", "others"])
@pytest.mark.parametrize("lead", [0.0, 2.0], ids=["all equal", "one judge blind"])
@pytest.mark.parametrize("items", [20, 80])
def test_sure_reversals_are_rarely_false(items, lead, against):
    count = 400
    found = [reversals(table, against=against) for table in Panel(items, mean=ahead(lead)).draws(count, 20261123)]
    sure, possible = rate([bool(one.sure) for one in found]), rate([bool(one.found) for one in found])
    print(f"{items} items, lead {lead}, against {against}: sure {sure:.3f}, possible {possible:.3f} ({count} tables)")
    assert sure <= 0.05


def test_a_true_reversal_is_found():
    mean = ((0.0, 1.0, 0.0), *((1.0, 0.0, 0.0),) * 4)
    found = [reversals(table) for table in Panel(80, mean=mean).draws(300, 20261124)]
    sure = rate([any((one.judge, one.first, one.second) == ("a", "a", "b") for one in r.sure) for r in found])
    print(f"80 items, judge a 1 point the other way: sure in {sure:.3f} of 300 tables")
    assert sure > 0.8
