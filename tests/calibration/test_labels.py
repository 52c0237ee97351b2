"""Intervals of labels: shares of common and rare labels, agreement beyond chance over items and judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.agreement.coefficients import alpha_of, sums_of_alpha
from quorate.estimate.labels import coefficients, label_means, label_shares, pairs
from quorate.numerics.chances import score_intervals
from quorate.numerics.nominal import ALPHA, COEFFICIENTS, Ratings, cohen_intervals, with_intervals

NAMES = np.array(list("abcd"))


@dataclass(frozen=True)
class Law:
    """A judge gives an item label k with a chance in proportion to exp(base_k + item_ik + judge_jk), normal effects."""

    shares: tuple[float, ...]
    items: int
    judges: int
    item: float
    judge: float
    missing: float = 0.0

    @property
    def size(self):
        return len(self.shares)

    def chances(self, base, item, judge):
        u = base + item[:, None, :] + judge[None]
        e = np.exp(u - u.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def base(self):
        """Logits at which the labels have their shares in the population of items and judges."""
        rng = np.random.default_rng(0)
        effects = rng.normal(0, self.item, (20_000, self.size)) + rng.normal(0, self.judge, (20_000, self.size))
        base = np.log(self.shares)
        for _ in range(60):
            e = np.exp(base + effects)
            base = base + np.log(self.shares) - np.log((e / e.sum(axis=1, keepdims=True)).mean(axis=0))
        return base

    def study(self, rng, base):
        """Place of the label for every item and judge, whether it is there, and the effects of the judges."""
        judge = rng.normal(0, self.judge, (self.judges, self.size))
        chances = self.chances(base, rng.normal(0, self.item, (self.items, self.size)), judge)
        said = (rng.random((self.items, self.judges, 1)) > chances.cumsum(axis=-1)).sum(axis=-1)
        return said.clip(0, self.size - 1), rng.random((self.items, self.judges)) >= self.missing, judge

    def agreement(self, base):
        """Coefficients in the population: two judges of an item agree with chance sum_k E[p_ik]^2."""
        rng = np.random.default_rng(9)
        judge = rng.normal(0, self.judge, (300, self.size))
        each = [self.chances(base, rng.normal(0, self.item, (500, self.size)), judge).mean(axis=1) for _ in range(20)]
        share = np.concatenate(each)
        agreed, marginal = float((share**2).sum(axis=1).mean()), share.mean(axis=0)
        by_chance = float((marginal**2).sum())
        kappa = (agreed - by_chance) / (1 - by_chance)
        gwet = float((marginal * (1 - marginal)).sum()) / (self.size - 1)
        ac1 = (agreed - gwet) / (1 - gwet)
        return {"agreement": agreed, "Krippendorff's alpha": kappa, "Fleiss' kappa": kappa, "Gwet's AC1": ac1}

    def agreement_of(self, chances):
        """Coefficients of these judges in the population of items, of chances of shape (items, judges, labels)."""
        judges = chances.shape[1]
        pairs = (chances.sum(axis=1) ** 2 - (chances**2).sum(axis=1)).sum(axis=1) / (judges * (judges - 1))
        agreed, marginal = float(pairs.mean()), chances.mean(axis=(0, 1))
        by_chance, gwet = float((marginal**2).sum()), float((marginal * (1 - marginal)).sum()) / (self.size - 1)
        kappa, ac1 = (agreed - by_chance) / (1 - by_chance), (agreed - gwet) / (1 - gwet)
        return {"agreement": agreed, "Krippendorff's alpha": kappa, "Fleiss' kappa": kappa, "Gwet's AC1": ac1}


@pytest.mark.parametrize(
    "law",
    [Law((0.5, 0.38, 0.1, 0.02), 100, 5, 1.5, 0.4), Law((0.5, 0.38, 0.1, 0.02), 200, 4, 1.0, 0.6, missing=0.3)],
    ids=["balanced", "a third missing"],
)
def test_shares(law):
    rng, base, effects = np.random.default_rng(3), law.base(), np.random.default_rng(5).normal(0, law.item, (4000, 4))
    held = {view: {label: [] for label in NAMES} for view in ("judges like these", "these judges")}
    for _ in range(100):
        said, kept, judge = law.study(rng, base)
        item, place = np.nonzero(kept)
        frame = pl.DataFrame({"item": item, "judge": place, "score": NAMES[said[item, place]]})
        table = q.read(frame, labels=True, announce=False)
        found = label_means(table, label_shares(table), targets={})
        assert sum(one.mean.value for one in found) == pytest.approx(1)
        mine = dict(zip(NAMES, law.chances(base, effects, judge).mean(axis=(0, 1)), strict=True))
        true = dict(zip(NAMES, law.shares, strict=True))
        for one in found:
            for view, (low, high), value in (
                ("judges like these", one.widest.ends, true[one.label]),
                ("these judges", one.mean.ends, mine[one.label]),
            ):
                held[view][one.label].append(low <= value <= high)
    for view, labels in held.items():
        for (label, covers), share in zip(labels.items(), law.shares, strict=True):
            print(f"{view}, share {share}: covers {np.mean(covers):.3f} of {len(covers)}")
            assert np.mean(covers) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(covers)), (view, label)


def test_shares_where_judges_see_a_true_label_or_guess():
    """Another law: items have a label, and a judge sees it with a chance of its own, or says any."""
    rng, share, held = np.random.default_rng(8), np.array([0.5, 0.4, 0.08, 0.02]), {label: [] for label in NAMES}
    for _ in range(200):
        sees, truth = rng.uniform(0.6, 0.95, 10), rng.choice(4, 100, p=share)
        said = np.where(rng.random((100, 10)) < sees, truth[:, None], rng.integers(0, 4, (100, 10)))
        item, judge = np.indices(said.shape).reshape(2, -1)
        frame = pl.DataFrame({"item": item, "judge": judge, "score": NAMES[said.ravel()]})
        table = q.read(frame, labels=True, announce=False)
        true = dict(zip(NAMES, share * sees.mean() + (1 - sees.mean()) / 4, strict=True))
        for one in label_means(table, label_shares(table), targets={}):
            low, high = one.mean.ends
            held[one.label].append(low <= true[one.label] <= high)
    for label, covers in held.items():
        print(f"{label}: covers {np.mean(covers):.3f}")
        assert np.mean(covers) >= 0.92 - 2 * np.sqrt(0.08 * 0.92 / len(covers)), label


@pytest.mark.parametrize(
    "law",
    [
        Law((0.34, 0.33, 0.33), 100, 5, 1.5, 0.4),
        Law((0.75, 0.18, 0.05, 0.02), 200, 4, 1.5, 0.8, missing=0.3),
        Law((0.75, 0.18, 0.05, 0.02), 100, 10, 1.5, 0.5),
        Law((0.6, 0.3, 0.1), 150, 5, 1.5, 1.0),
        Law((0.6, 0.3, 0.1), 100, 5, 1.5, 0.0),
    ],
    ids=["equal labels", "rare and a third missing", "ten judges", "judges differ", "judges alike"],
)
def test_agreement(law):
    rng, base = np.random.default_rng(4), law.base()
    true = law.agreement(base)
    effects = np.random.default_rng(12).normal(0, law.item, (4000, law.size))
    given, mine, held, panel, widths = [], [], {}, {}, {}
    for _ in range(300):
        said, kept, drawn = law.study(rng, base)
        item, judge = np.nonzero(kept)
        given.append(Ratings(item, judge, said[kept], np.ones(len(item)), law.items, law.judges, law.size))
        mine.append(law.agreement_of(law.chances(base, effects, drawn)))
    for name in true:
        found = with_intervals(given, COEFFICIENTS[name], 0.95)
        held[name] = [one.low <= true[name] <= one.high for one in found]
        panel[name] = [one.panel[0] <= of[name] <= one.panel[1] for one, of in zip(found, mine, strict=True)]
        widths[name] = [(one.panel[1] - one.panel[0]) / (one.high - one.low) for one in found]
        (alone,) = (one for one in coefficients(given[0], 0.95) if one.name == name)
        assert (alone.low, alone.high) == pytest.approx((found[0].low, found[0].high), abs=1e-7)
    for name, covers in held.items():
        print(f"{name} {true[name]:.3f}: covers {np.mean(covers):.3f} +- {np.std(covers) / np.sqrt(len(covers)):.3f}")
        print(f"with these judges {np.mean(panel[name]):.3f}, of {np.median(widths[name]):.2f} the width")
        assert 0.92 <= np.mean(covers) <= 0.995, name
        assert 0.92 <= np.mean(panel[name]) <= 0.995, name


def test_two_judges():
    """Cohen's kappa of two judges who stay the same while items are drawn, one label rare."""
    law = Law((0.75, 0.2, 0.05), 100, 2, 1.5, 0.5)
    rng, base = np.random.default_rng(6), law.base()
    judge = rng.normal(0, law.judge, (2, law.size))
    first, second = np.moveaxis(law.chances(base, rng.normal(0, law.item, (400_000, law.size)), judge), 1, 0)
    agreed, by_chance = float((first * second).sum(axis=1).mean()), float(first.mean(axis=0) @ second.mean(axis=0))
    true, given = (agreed - by_chance) / (1 - by_chance), []
    for _ in range(1000):
        chances = law.chances(base, rng.normal(0, law.item, (law.items, law.size)), judge)
        said = (rng.random((law.items, 2, 1)) > chances.cumsum(axis=-1)).sum(axis=-1).clip(0, law.size - 1)
        item, place = np.nonzero(said >= 0)
        given.append(Ratings(item, place, said.ravel(), np.ones(2 * law.items), law.items, 2, law.size))
    label = np.eye(law.size)
    found = cohen_intervals([(label[one.label[::2]], label[one.label[1::2]]) for one in given], 0.95)
    (alone,) = pairs(given[0], ("x", "y"), ("a", "b", "c"), 0.95)
    assert (alone.low, alone.high) == pytest.approx(tuple(found[0]), abs=1e-7)
    covers = (found[:, 0] <= true) & (true <= found[:, 1])
    print(f"kappa {true:.3f}: covers {np.mean(covers):.3f}")
    assert 0.93 <= np.mean(covers) <= 0.97


@pytest.mark.parametrize("judges", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("share", [0.05, 0.02])
def test_alpha_of_a_rare_label(judges, share):
    """Alpha of two labels of which one is rare; labels of an item by a beta-binomial law."""
    rng, studies = np.random.default_rng(11), 300
    for items in (40, 100):
        for true in (0.0, 0.4, 0.7):
            drawn = []
            for _ in range(studies):
                chance = np.full(items, share)
                if true:
                    chance = rng.beta(share * (1 - true) / true, (1 - share) * (1 - true) / true, items)
                said = (rng.random((items, judges)) < chance[:, None]).astype(float)
                if said.any():
                    drawn.append((np.repeat(np.arange(items), judges), said.ravel(), "nominal"))
            found = score_intervals([sums_of_alpha(*one, 0.95) for one in drawn], ALPHA)
            alone = alpha_of(*drawn[0])
            assert (alone.low, alone.high) == pytest.approx(tuple(found[0]), abs=1e-7)
            held = (found[:, 0] <= true) & (true <= found[:, 1])
            print(f"{judges} judges, {items} items, share {share}, alpha {true}: covers {np.mean(held):.3f}")
            assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(held))


@pytest.mark.parametrize("items", [20, 60])
def test_alpha_of_answers_of_several_systems(items):
    """Answers to one item are alike and hard together: covered in .95 to .98 (300 studies: 3 se .038) when drawn so."""
    rng, systems, accuracy = np.random.default_rng(11), 3, np.array([0.85, 0.75, 0.65])

    def drawn(n):
        base = rng.integers(3, size=n)
        true = np.where(rng.random((n, systems)) < 0.6, base[:, None], rng.integers(3, size=(n, systems)))
        right = accuracy + np.where(rng.random(n) < 0.3, -0.3, 0.1)[:, None]
        known = rng.random((n, systems, 3)) < right[:, None, :]
        said = np.where(known, true[:, :, None], rng.integers(3, size=(n, systems, 3)))
        answer, judge = np.repeat(np.arange(n * systems), 3), np.tile(np.arange(3), n * systems)
        together = np.repeat(np.arange(n), systems)
        return Ratings(answer, judge, said.ravel(), np.ones(len(answer)), n * systems, 3, 3, together)

    (whole,) = with_intervals([drawn(20_000)], COEFFICIENTS["Krippendorff's alpha"], 0.95)
    found = with_intervals([drawn(items) for _ in range(300)], COEFFICIENTS["Krippendorff's alpha"], 0.95)
    covered = np.mean([one.panel[0] <= whole.value <= one.panel[1] for one in found])
    apart = [one.panel[1] - one.panel[0] for one in found]
    assert 0.95 - 0.038 <= covered <= 0.99
    assert np.mean(apart) < 0.36 * (20 / items) ** 0.5
