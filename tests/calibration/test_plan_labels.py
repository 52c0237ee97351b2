"""Plans of labels: against a search over every split, and what studies of a plan find for what it promised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from quorate.estimate.agreement.prediction_powered import Matched, of_sample
from quorate.numerics.prediction_powered import Costs, Sample, Split, people_alone, powered, powered_mean, worth_from
from quorate.planning.plan_labels import Pilot, Study


@dataclass(frozen=True)
class Law:
    """Labels and predictions by category: share of units, and a function that draws both."""

    weight: tuple[float, ...]
    draw: tuple
    share: bool

    def units(self, rng, counts):
        """Labels, predictions and strata of so many units of each category."""
        pairs = [draw(rng, int(n)) for draw, n in zip(self.draw, counts, strict=True)]
        y, f = (np.concatenate(each) for each in zip(*pairs, strict=True))
        return y.astype(float), f.astype(float), np.repeat(np.arange(len(counts)), np.asarray(counts, dtype=int))

    def mean(self):
        """Mean label, by a million units of each category."""
        rng = np.random.default_rng(0)
        return float(np.dot(self.weight, [draw(rng, 1_000_000)[0].mean() for draw in self.draw]))


def yes_or_no(p, right, clear):
    """Labels of 1 with chance p; the judge says yes to ``right`` of these and no to ``clear`` of the others."""

    def draw(rng, n):
        y = rng.random(n) < p
        return y, np.where(y, rng.random(n) < right, rng.random(n) >= clear)

    return draw


def scores(mean, spread, noise):
    """Skewed labels, the prediction with noise and a bias of .5."""

    def draw(rng, n):
        y = mean + spread * (rng.gamma(2.0, size=n) - 2) / np.sqrt(2)
        return y, y + 0.5 + noise * rng.normal(size=n)

    return draw


LAWS = {
    "scores": Law((1.0,), (scores(5, 1.0, 0.6),), share=False),
    "share of a half": Law((1.0,), (yes_or_no(0.5, 0.85, 0.85),), share=True),
    "share of .1": Law((1.0,), (yes_or_no(0.1, 0.9, 0.95),), share=True),
    "scores by category": Law((0.5, 0.3, 0.2), (scores(6, 0.5, 0.2), scores(4, 1.5, 0.8), scores(5, 1.0, 3.0)), False),
    "shares by category": Law(
        (0.5, 0.3, 0.2), (yes_or_no(0.08, 0.9, 0.97), yes_or_no(0.5, 0.6, 0.6), yes_or_no(0.8, 0.9, 0.7)), True
    ),
    "a judge of no use": Law((0.6, 0.4), (yes_or_no(0.3, 0.5, 0.5), yes_or_no(0.6, 0.5, 0.5)), True),
}


def sample(law, rng, labels, units):
    """Labels among predicted units, both by category; of no predicted units, labels and as many others as strata."""
    labels = np.asarray(labels, dtype=int)
    counts = np.maximum(np.round(np.asarray(law.weight) * units).astype(int), labels)
    y, f, own = law.units(rng, counts)
    labelled = np.concatenate([np.arange(n) < k for n, k in zip(counts, labels, strict=True)])
    code = np.arange(len(y))
    strata = None if len(law.weight) == 1 else (own[labelled], own[~labelled])
    return Sample(y[labelled], f[labelled], f[~labelled], code[labelled], code[~labelled], strata=strata)


def pilot_of(law, drawn):
    return _pilot(drawn, law.share, len(law.weight))


def planned(pilot, costs, budget):
    least = np.full(len(pilot.names), 5.0 if len(pilot.names) > 1 else 10.0)
    options = [
        one
        for one in (powered(pilot.strata, costs, budget, least), people_alone(pilot.strata, costs, budget, least))
        if one
    ]
    best = min((one for one in options if one), key=lambda one: one.variance)
    return Split(np.floor(best.labels + 1e-6), float(np.floor(best.units)), best.variance)


STUDIES = pytest.mark.parametrize("studies", [200, pytest.param(500, marks=pytest.mark.slow)])


@STUDIES
@pytest.mark.parametrize("labels", [50, 100])
@pytest.mark.parametrize("name", LAWS)
def test_studies_of_a_plan_find_what_it_promised(name, labels, studies):
    """Pilots of so many labels, each with its plan, and one study of every plan.

    Monte Carlo error of coverage: .015 of 200 studies, .010 of 500; of the middle ratio about .01.
    """
    law, rng = LAWS[name], np.random.default_rng(labels)
    truth, held, ratio, n = law.mean(), [], [], []
    for _ in range(studies):
        drawn = sample(law, rng, np.round(np.array(law.weight) * labels), 3 * labels)
        if not np.ptp(drawn.y) > 0:
            continue  # refused
        pilot = pilot_of(law, drawn)
        best = planned(pilot, Costs(1.0, 0.02), 200.0)
        study = sample(law, rng, best.labels, best.units or 4 * best.labels.sum())
        found = of_sample(study, share=law.share)
        low, high = found.estimate.ends if best.units else found.alone.ends
        held.append(low <= truth <= high)
        ratio.append((high - low) / 2 / pilot.precision(best).half_width(0.95))
        n.append((best.labels.sum(), best.units))
    low, middle, high = np.quantile(ratio, [0.05, 0.5, 0.95])
    print(
        f"{name}, pilot {labels}: covers {np.mean(held):.3f}; realised over promised {middle:.3f} ({low:.2f} to "
        f"{high:.2f}); labels and units {np.median(n, axis=0)}"
    )
    error = np.sqrt(0.05 * 0.95 / studies)
    assert 0.93 - 2 * error <= np.mean(held) <= 0.97 + 2 * error
    assert middle == pytest.approx(1, abs=0.05)
    assert low > 0.7
    assert high < 1.5


@pytest.mark.parametrize("name", ["scores", "share of .1", "shares by category"])
def test_no_split_of_the_budget_has_a_smaller_variance(name):
    """The split that the law itself gives, and estimates of studies of every other number of labels, same price."""
    law, rng, costs, budget, size = LAWS[name], np.random.default_rng(1), Costs(1.0, 0.02), 200.0, 1000
    pilot = pilot_of(law, sample(law, rng, np.round(np.array(law.weight) * 40_000), 80_000))
    best = planned(pilot, costs, budget)
    found = {}
    for factor in (0.6, 0.8, 0.9, 1.0, 1.05):
        labels = np.floor(best.labels * factor)
        units = (budget - labels.sum()) / costs.prediction
        if units * min(law.weight) < 15:
            continue
        rng = np.random.default_rng(7)
        found[factor] = np.var([powered_mean(sample(law, rng, labels, units)).value for _ in range(size)])
    print(f"{name}: " + ", ".join(f"{factor} {each / found[1.0]:.3f}" for factor, each in found.items()))
    assert found[1.0] <= min(found.values()) * (1.02 + 2 * np.sqrt(2 / size))


def cases(shared):
    """Units of real tables: what every person said (units, people), the mean prediction, and the stratum."""
    data = shared / "data"
    arena = pl.read_parquet(data / "arena_human_vs_llm_judges.parquet")
    share = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}
    for other in ("gemini-2.5-flash", "qwen3-235b"):
        for judge in ("gpt-4o-mini", "gpt-5.2"):
            rows = arena.filter((pl.col("judge") == judge) & pl.col("pair").cast(pl.String).str.contains(other))
            people, said = (
                rows[name].cast(pl.String).replace_strict(share, default=None)
                for name in ("human_winner", "judge_winner")
            )
            yield f"arena, Claude against {other}, {judge}", True, people.to_numpy()[:, None], said.to_numpy(), None
    bar = pl.read_parquet(data / "llmbar_judges_prompts.parquet").filter(pl.col("prompt") == "Metrics")
    for judge in ("ChatGPT", "GPT-4"):
        rows = (
            bar.filter(pl.col("judge") == judge)
            .group_by("item", maintain_order=True)
            .agg(pl.col("winner").mean(), pl.col("label").first())
        )
        yield (
            f"LLMBar, {judge}, both orders",
            True,
            2.0 - rows["label"].to_numpy()[:, None],
            2.0 - rows["winner"].to_numpy(),
            None,
        )
    chat = pl.read_parquet(data / "topical_chat_gpt35_replicates.parquet").filter(pl.col("prompt") == "geval")
    for dimension in ("groundedness", "engagingness"):
        rows = chat.filter(pl.col("dimension") == dimension)
        for draws in (1, 20):
            few = rows.filter(pl.col("replicate") < pl.col("replicate").min() + draws)
            units = few.group_by("item", maintain_order=True).agg(pl.col("score").mean(), pl.col("human_score").first())
            yield (
                f"Topical-Chat, {dimension}, GPT-3.5 x {draws}",
                False,
                units["human_score"].to_numpy()[:, None],
                units["score"].to_numpy(),
                None,
            )
    scale = pl.read_parquet(data / "rating_scale_human_llm.parquet").filter(pl.col("scale_max") == 10)
    people = scale.filter(pl.col("judge_type") == "human").pivot(
        "judge", index=["benchmark", "item"], values="score01", aggregate_function="mean"
    )
    for judge in ("GPT-4o", "Llama-3.3"):
        said = (
            scale.filter(pl.col("judge") == judge)
            .group_by("benchmark", "item")
            .agg(pl.col("score01").mean().alias("said"))
        )
        rows = people.join(said, on=["benchmark", "item"], maintain_order="left")
        yield (
            f"rating scales, {judge}",
            False,
            rows.drop("benchmark", "item", "said").to_numpy(),
            rows["said"].to_numpy(),
            rows["benchmark"].to_physical().to_numpy(),
        )


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a real table as a population: labels by person, prediction, stratum."""

    people: np.ndarray
    said: np.ndarray
    stratum: np.ndarray

    @property
    def strata(self):
        return [np.flatnonzero(self.stratum == h) for h in range(self.stratum.max() + 1)]

    def drawn(self, rng, labels, others):
        """So many labels of every stratum, each by a person, and so many other units; with replacement."""
        own, rest = (
            np.concatenate([rng.choice(at, int(k)) for at, k in zip(self.strata, each, strict=True)])
            for each in (labels, others)
        )
        turn = np.where(np.isnan(self.people[own]), -1.0, rng.random((len(own), self.people.shape[1])))
        y, code, n = self.people[own, np.argmax(turn, axis=1)], np.arange(len(own) + len(rest)), len(own)
        by = (self.stratum[own], self.stratum[rest]) if self.stratum.max() else None
        return Sample(y, self.said[own], self.said[rest], code[:n], code[n:], strata=by)


def known(people, said, stratum):
    some = ~np.isnan(said) & (~np.isnan(people)).any(axis=1)
    stratum = np.zeros(len(said), np.int64) if stratum is None else stratum
    return Units(people[some], said[some], np.unique(stratum[some], return_inverse=True)[1])


@pytest.mark.slow
def test_real_studies_of_a_plan(shared):
    """Pilots of 60 units of a real table, drawn with replacement, each with its plan, and a study of every plan.

    A person costs .5, a call .01; asked for is the half-width of 200 labels alone. 300 studies: Monte Carlo error of
    coverage .013.
    """
    for name, share, people, said, stratum in cases(shared):
        units, rng, rows = known(people, said, stratum), np.random.default_rng(1), []
        costs = Costs(0.5, 0.01 * (20 if name.endswith("x 20") else 1))
        weight = np.array([len(at) for at in units.strata]) / len(units.said)
        truth, h = float(np.nanmean(units.people, axis=1).mean()), len(weight)
        whole = _pilot(units.drawn(rng, weight * 40_000, weight * 40_000), share, h)
        asked = whole.precision(Split(weight * 200, 0.0, np.nan)).half_width(0.95)
        plan, _ = Study(whole, costs, np.inf, False, "half_width", 0.95, 0.9).reaching(asked)
        for _ in range(300):
            pilot = _pilot(units.drawn(rng, np.round(weight * 60), np.round(weight * 60)), share, h)
            best, _ = Study(pilot, costs, np.inf, False, "half_width", 0.95, 0.9).reaching(asked)
            others = np.maximum(np.round(weight * best.units) - best.labels, 2) if best.units else np.full(h, 2)
            found = of_sample(units.drawn(rng, best.labels, others), share=share)
            low, high = found.estimate.ends if best.units else found.alone.ends
            rows.append((best.cost(costs), (high - low) / 2 / asked, low <= truth <= high))
        cost, ratio, held = np.array(rows).T
        least, most = np.quantile(cost, [0.1, 0.9])
        print(
            f"{name}: r {whole.correlation[0]:.2f} (needed {worth_from(costs):.2f}), labels {plan.labels.sum():.0f}, "
            f"units {plan.units:.0f}, cost {plan.cost(costs):.0f} of 100; from pilots of 60: {np.median(cost):.0f} "
            f"({least:.0f} to {most:.0f}), realised over asked {np.median(ratio):.2f}, covers {held.mean():.3f}"
        )
        assert held.mean() >= 0.93 - 2 * 0.013
        assert np.median(ratio) == pytest.approx(1, abs=0.08)


def _pilot(drawn, share, strata):
    found = Matched(drawn, {}, 0, tuple(str(h) for h in range(strata)) if strata > 1 else ())
    return Pilot.of(found, share=share, level=0.95, within=0.0, persons=np.ones(len(drawn.y)))
