"""What intervals do under laws that are known: coverage, width, size and power of both readings.

``PYTHONPATH=src:tests python -m calibration.laws`` prints the table of ``docs/methods/intervals.md``. In every study
items are new, and so are judges, prompts and what is between them. Studies of complete tables are analysed at once, by
the code of certificates; others one by one.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from quorate.analysis.certify import errors_of_complete
from quorate.errors import NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.differences.difference import difference
from quorate.estimate.means.mean import readings
from quorate.numerics.inference import wilson_limits
from quorate.numerics.study_power import half_widths
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

LEVEL = 0.95
MARKS = np.array([-2.5, -1.0, 0.5, 1.5])
"""Where marks 2 to 5 begin."""
_MANY = 20_000
_CHUNK = 2**21


@dataclass(frozen=True)
class Law:
    """How scores come about; effects are standard deviations, of log odds where scores are 0/1 or marks.

    Parameters
    ----------
    items, prompts, judges, systems : int
        Crossed.
    scores : {"number", "share", "marks"}
        Numbers, 0/1, or 1 to 5.
    rate : float
        Mean of 0/1; of marks, their mean less 1 in quarters.
    item, prompt, judge, item_prompt, item_judge : float
        Effects.
    item_system, prompt_system, judge_system : float
        Effects on the difference of two systems.
    gap : float
        By how much the first system is better where power is measured.
    noise : tuple of float
        Of every judge, or of all.
    tail : {"normal", "t3", "exponential", "lognormal"}
        Law of items, all of variance 1; of t3 that of the noise too.
    categories : tuple of int
        Items of each, whose means are a standard deviation apart where ``apart`` is 1.
    batch : int
        Items that share an effect as large as half of that of items.
    grouped : bool
        Whether the batch is read as what groups the items, which are drawn by it.
    copies : tuple of int
        Of which judge every judge is nearly a copy.
    missing : float
        Share of cells without a score, more of later judges.
    """

    items: int
    prompts: int = 1
    judges: int = 3
    systems: int = 1
    scores: str = "number"
    rate: float = 0.5
    item: float = 1.0
    prompt: float = 0.0
    judge: float = 0.0
    item_prompt: float = 0.5
    item_judge: float = 0.5
    item_system: float = 0.3
    prompt_system: float = 0.0
    judge_system: float = 0.0
    gap: float = 0.0
    noise: tuple[float, ...] = (1.0,)
    tail: str = "normal"
    categories: tuple[int, ...] = ()
    apart: float = 1.0
    batch: int = 0
    grouped: bool = False
    copies: tuple[int, ...] = ()
    missing: float = 0.0

    @property
    def design(self) -> str:
        """Items x prompts x judges."""
        return f"{self.items} x {self.prompts} x {self.judges}"

    @property
    def complete(self) -> bool:
        """Whether studies can be analysed at once."""
        return not self.missing and not self.grouped

    @property
    def drawn(self) -> tuple[str, ...]:
        """What has the three levels that say something of others."""
        return tuple(name for name, n in (("prompt", self.prompts), ("judge", self.judges)) if n > 2)

    @property
    def scale(self) -> tuple[float, float] | None:
        return {"share": (0.0, 1.0), "marks": (1.0, 5.0)}.get(self.scores)

    @cached_property
    def table(self) -> Judgments:
        """The design, of one system or of the difference of two."""
        return self._table(1)

    def _table(self, systems: int) -> Judgments:
        place = np.indices((systems, self.items, self.prompts, self.judges)).reshape(4, -1)
        sizes = {"system": systems, "item": self.items, "prompt": self.prompts, "judge": self.judges}
        names = [name for name in sizes if name != "system" or systems > 1]
        columns = dict(zip(sizes, place, strict=True))
        facets = [Facet(name, name, _labels(sizes[name]), name in ("judge", "system")) for name in names]
        if (group := self._group) is not None:
            at = names.index("item")
            facets[at] = replace(facets[at], parent="category")
            facets.append(Facet("category", "category", _labels(int(group.max()) + 1), not self.grouped))
            columns["category"] = group[columns["item"]]
            names.append("category")
        codes = np.column_stack([columns[name] for name in names]).astype(np.int32)
        n, zero = np.ones(len(codes), np.int64), np.zeros(len(codes))
        return Judgments(tuple(facets), "item", "score", codes, n, zero, zero, zero, zero, scale=self.scale)

    @cached_property
    def _group(self) -> Any:
        """What groups items in the table."""
        if self.categories:
            return np.repeat(np.arange(len(self.categories)), self.categories)
        return np.arange(self.items) // self.batch if self.grouped else None

    def _of_items(self, rng: np.random.Generator, n: int, items: int) -> Any:
        """Effects of items, shape (n, items)."""
        if self.tail == "exponential":
            effect = rng.exponential(size=(n, items)) - 1
        elif self.tail == "lognormal":
            effect = (np.exp(rng.normal(size=(n, items))) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)
        elif self.tail == "t3":
            effect = rng.standard_t(3, size=(n, items)) / math.sqrt(3)
        else:
            effect = rng.normal(size=(n, items))
        if self.categories:
            group = np.repeat(np.arange(len(self.categories)), self.categories)
            centre = np.average(np.arange(len(self.categories)), weights=self.categories)
            effect = effect + self.apart * (group[np.arange(items) * self.items // items] - centre)
        if self.batch:
            shared = rng.normal(size=(n, -(-items // self.batch))) * 0.5
            effect = effect + np.repeat(shared, self.batch, axis=1)[:, :items]
        return self.item * effect

    @cached_property
    def _of_latent(self) -> tuple[Any, Any]:
        """Mean scores by what a panel adds to the log odds of all items, on a grid."""
        rng = np.random.default_rng(1)
        own = self._of_items(rng, 1, _MANY)[0]
        more = math.sqrt(self.item_prompt**2 + self.item_judge**2 + (self.systems > 1) * self.item_system**2)
        own = own + more * rng.normal(size=_MANY)
        panel = math.sqrt(
            self.prompt**2 + self.judge**2 + (self.systems > 1) * (self.prompt_system**2 + self.judge_system**2)
        )
        grid = np.linspace(-12, 12, 481)
        means = np.array([self._expected(own + x).mean() for x in grid])
        low, high = -12.0, 12.0
        for _ in range(50):
            middle = (low + high) / 2
            nodes = middle + panel * ndtri((np.arange(200) + 0.5) / 200)
            value = np.interp(nodes, grid, means).mean()
            share = value if self.scores == "share" else (value - 1) / 4
            low, high = (middle, high) if share < self.rate else (low, middle)
        return grid - low, means

    @staticmethod
    def _of_marks(latent: Any) -> Any:
        return 1 + sum(expit(latent - cut) for cut in MARKS)

    def _expected(self, latent: Any) -> Any:
        return expit(latent) if self.scores == "share" else self._of_marks(latent)

    def studies(self, n: int, rng: np.random.Generator, gap: float = 0.0) -> tuple[Any, Any, float]:
        """Scores, shape (n, systems, items, prompts, judges); what they are on average for each setup; and for all."""
        s, v, m = self.systems, self.prompts, self.judges
        panel = self.prompt * rng.normal(size=(n, 1, v, 1)) + self._by_judge(self.judge, rng, (n, 1, 1, m))
        shift = np.zeros((1, s, 1, 1))
        if s > 1:
            panel = panel + self.prompt_system * rng.normal(size=(n, s, v, 1))
            panel = panel + self._by_judge(self.judge_system, rng, (n, s, 1, m))
            shift[0, :, 0, 0] = gap / 2, -gap / 2
        panel = panel + shift
        latent = self._of_items(rng, n, self.items)[:, None, :, None, None] + panel[:, :, None]
        latent = latent + self.item_prompt * rng.normal(size=(n, 1, self.items, v, 1))
        latent = latent + self._by_judge(self.item_judge, rng, (n, 1, self.items, 1, m))
        if s > 1:
            latent = latent + self.item_system * rng.normal(size=(n, s, self.items, 1, 1))
        if self.scores == "number":
            noise = rng.standard_t(3, latent.shape) / 3**0.5 if self.tail == "t3" else rng.normal(size=latent.shape)
            for judge, other in enumerate(self.copies):
                if other != judge:
                    noise[..., judge] = 0.95 * noise[..., other] + 0.3 * noise[..., judge]
            of_setup, of_all = panel.mean(axis=(2, 3)), shift[0, :, 0, 0]
            scores = latent + noise * np.array(self.noise)
        else:
            grid, means = self._of_latent
            start = -grid[240]
            latent, drawn = latent + start, rng.random(latent.shape)
            for judge, other in enumerate(self.copies):
                if other != judge:
                    same = rng.random(latent.shape[:-1]) < 0.9
                    drawn[..., judge] = np.where(same, drawn[..., other], drawn[..., judge])
            if self.scores == "share":
                scores = (drawn < expit(latent)).astype(float)
            else:
                scores = 1.0 + sum((drawn < expit(latent - cut)).astype(float) for cut in MARKS)
            of_setup = np.interp(panel, grid, means).mean(axis=(2, 3))
            many = self._panels()
            of_all = np.interp(many[:, None] + shift[0, :, 0, 0], grid, means).mean(axis=0)
        if s == 1:
            return scores, of_setup[:, 0], float(of_all[0])
        return scores, of_setup[:, 0] - of_setup[:, 1], float(of_all[0] - of_all[1])

    def _panels(self) -> Any:
        spread = math.sqrt(
            self.prompt**2 + self.judge**2 + (self.systems > 1) * (self.prompt_system**2 + self.judge_system**2)
        )
        return spread * ndtri((np.arange(2000) + 0.5) / 2000)

    def _by_judge(self, sd: float, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        effect = sd * rng.normal(size=shape)
        return effect[..., list(self.copies)] if self.copies else effect

    def kept(self, scores: Any, rng: np.random.Generator) -> Judgments:
        """One study as a table, with the gaps that it has."""
        table = self._table(self.systems)
        share = self.missing * np.linspace(0.2, 1.8, self.judges)
        table = replace(table, mean=scores.ravel(), low=scores.ravel(), high=scores.ravel())
        return table.keep((rng.random(scores.shape) >= share).ravel())


def _labels(n: int) -> tuple[str, ...]:
    return tuple(f"{k:04d}" for k in range(n))


LAWS = {
    "normal, nothing else varies": Law(60, 2, 3),
    "normal, one prompt and judge": Law(40, 1, 1),
    "normal, ten items": Law(10, 1, 3),
    "normal, prompts .3, judges .2": Law(60, 3, 3, prompt=0.3, judge=0.2),
    "normal, prompts 1, judges .5": Law(30, 3, 3, prompt=1.0, judge=0.5),
    "normal, prompts .3, judges .3, four each": Law(60, 4, 4, prompt=0.3, judge=0.3),
    "normal, prompts .5, judges .5, five each": Law(100, 5, 5, prompt=0.5, judge=0.5),
    "normal, eight judges .5": Law(60, 1, 8, judge=0.5),
    "noise of judges .2, .5, 3": Law(60, 2, 3, noise=(0.2, 0.5, 3.0)),
    "judges differ by item": Law(60, 2, 3, item_judge=2.0),
    "items and noise t of 3 df": Law(60, 3, 3, tail="t3", prompt=0.2),
    "items and noise t of 3 df, 30": Law(30, 1, 3, tail="t3"),
    "exponential items": Law(60, 3, 3, tail="exponential", prompt=0.3),
    "exponential items, 20": Law(20, 1, 3, tail="exponential"),
    "lognormal items, 30": Law(30, 1, 3, tail="lognormal"),
    "lognormal items, 200": Law(200, 1, 3, tail="lognormal"),
    "lognormal items alone, 30": Law(30, tail="lognormal", item_prompt=0, item_judge=0, noise=(0.1,)),
    "exponential items alone, 20": Law(20, tail="exponential", item_prompt=0, item_judge=0, noise=(0.1,)),
    "0/1 at .5": Law(60, 2, 3, scores="share"),
    "0/1 at .8, prompts .5, judges .3": Law(60, 3, 3, scores="share", rate=0.8, prompt=0.5, judge=0.3),
    "0/1 at .9, judges .3": Law(40, 3, 5, scores="share", rate=0.9, prompt=0.3, judge=0.3),
    "0/1 at .95": Law(60, 2, 3, scores="share", rate=0.95),
    "0/1 at .95, five prompts .3": Law(60, 5, 3, scores="share", rate=0.95, prompt=0.3),
    "0/1 at .95, 30 items": Law(30, 2, 3, scores="share", rate=0.95),
    "0/1 at .05": Law(60, 2, 3, scores="share", rate=0.05),
    "0/1 at .98": Law(100, 1, 3, scores="share", rate=0.98),
    "0/1 at .02": Law(300, 1, 3, scores="share", rate=0.02),
    "0/1 at .02, one judge": Law(200, 1, 1, scores="share", rate=0.02),
    "marks near 3": Law(60, 2, 3, scores="marks"),
    "marks near 4.5, prompts and judges .3": Law(60, 3, 3, scores="marks", rate=0.87, prompt=0.3, judge=0.3),
    "marks near 4.8, 30 items": Law(30, 2, 3, scores="marks", rate=0.95),
    "categories of 50, 5, 5": Law(60, 2, 3, categories=(50, 5, 5)),
    "categories of 50, 5, 5, 0/1 at .9": Law(60, 2, 3, scores="share", rate=0.9, categories=(50, 5, 5)),
    "two categories of 50": Law(100, 1, 3, categories=(50, 50)),
    "judges copies in twos": Law(60, 1, 4, judge=0.3, copies=(0, 0, 2, 2)),
    "judges copies in twos, six": Law(60, 1, 6, judge=0.3, copies=(0, 0, 2, 2, 4, 4)),
    "judges copies in twos, 0/1 at .8": Law(60, 1, 4, scores="share", rate=0.8, judge=0.3, copies=(0, 0, 2, 2)),
    "batches of 10, not read": Law(60, 1, 3, batch=10),
    "batches of 10, drawn by batch": Law(60, 1, 3, batch=10, grouped=True),
    "a third missing": Law(60, 2, 3, missing=0.3),
    "a third missing, noise .3, 1, 3": Law(60, 2, 3, missing=0.4, noise=(0.3, 1.0, 3.0)),
    "a third missing, 0/1 at .85": Law(60, 2, 3, scores="share", rate=0.85, missing=0.4),
    "two: normal": Law(60, 2, 3, systems=2, gap=0.3),
    "two: normal, three prompts": Law(60, 3, 3, systems=2, gap=0.25),
    "two: prompts differ by .3": Law(60, 3, 3, systems=2, prompt_system=0.3, gap=0.25),
    "two: judges differ by .3": Law(60, 1, 5, systems=2, judge_system=0.3, gap=0.3),
    "two: five prompts differ by .15": Law(60, 5, 3, systems=2, prompt_system=0.15, gap=0.2),
    "two: t of 3 df": Law(60, 3, 3, systems=2, tail="t3", gap=0.25),
    "two: 0/1 at .5": Law(60, 2, 3, systems=2, scores="share", gap=0.5),
    "two: 0/1 at .5, three prompts": Law(60, 3, 3, systems=2, scores="share", gap=0.45),
    "two: 0/1 at .9": Law(60, 2, 3, systems=2, scores="share", rate=0.9, gap=0.8),
    "two: 0/1 at .95, one judge": Law(100, 1, 1, systems=2, scores="share", rate=0.95, gap=1.5),
    "two: marks near 4": Law(60, 2, 3, systems=2, scores="marks", rate=0.75, gap=0.4),
    "two: two categories of 50": Law(100, 1, 3, systems=2, categories=(50, 50), gap=0.3),
    "two: judges copies in twos": Law(60, 1, 4, systems=2, copies=(0, 0, 2, 2), gap=0.4),
    "two: a third missing": Law(60, 2, 3, systems=2, missing=0.3, gap=0.4),
    "two: a third missing, judges differ by .3": Law(60, 1, 5, systems=2, missing=0.3, judge_system=0.3, gap=0.4),
    "two: half missing, prompts and judges differ by .3": Law(
        40, 3, 3, systems=2, missing=0.5, prompt_system=0.3, judge_system=0.3, gap=0.5
    ),
    "two: a third missing, 0/1 at .8": Law(60, 2, 3, systems=2, scores="share", rate=0.8, missing=0.3, gap=0.7),
}


@dataclass(frozen=True)
class Reading:
    """What intervals of one reading did.

    Parameters
    ----------
    coverage : float
        Share that held the truth; of a difference, one less it is the size of the test.
    width : float
        Median width over that of an interval that knows the standard error.
    power, known : float
        Share of studies of the law moved by its gap that find it, and what a test that knows the standard error would.
    """

    coverage: float
    width: float
    power: float = math.nan
    known: float = math.nan


@dataclass(frozen=True)
class Row:
    """One law: both readings, studies that gave intervals, and those drawn."""

    setup: Reading
    others: Reading | None
    studies: int
    drawn: int


def limits_of(law: Law, scores: Any, rng: np.random.Generator) -> Any:
    """Value and limits for the setup and for others, shape (studies, 5); rows without an interval are nan."""
    return _at_once(law, scores) if law.complete else np.array([_one(law, one, rng) for one in scores])


def _at_once(law: Law, scores: Any) -> Any:
    own = scores[:, 0] if law.systems == 1 else scores[:, 0] - scores[:, 1]
    flat, table = own.reshape(len(own), -1), law.table
    out = np.full((len(own), 5), np.nan)
    panel = dict.fromkeys(table.names, "panel") | {"item": "population"}
    for at, drawn in ((1, ()), (3, law.drawn)):
        if at == 3 and not drawn:
            continue
        target = panel | dict.fromkeys(drawn, "population")
        value, variance, df, parts = errors_of_complete(flat, table, target)
        half = half_widths((1 + LEVEL) / 2, variance, df, parts)
        ends = (value - half, value + half)
        if law.systems == 1 and (scale := law.scale) is not None:
            ends = wilson_limits(value, half, table.n_answers, scale)
        out[:, 0], out[:, at], out[:, at + 1] = value, *ends
        out[variance <= 1e-20] = np.nan
    return out


def _one(law: Law, scores: Any, rng: np.random.Generator) -> tuple[float, ...]:
    table = law.kept(scores, rng)
    try:
        if law.systems == 1:
            asked = {"category": "population"} if law.grouped else {}
            found = readings(decompose(table), asked)
            setup, others = found.setup, found.others
        else:
            gap = difference(table, *_labels(2))
            setup, others = gap.estimate, gap.others and gap.others.estimate
    except NotEstimable:
        return (math.nan,) * 5
    beyond = (math.nan, math.nan) if others is None else others.at(LEVEL).ends
    return (setup.value, *setup.at(LEVEL).ends, *beyond)


def _parts(law: Law, n: int) -> Iterator[int]:
    most = max(1, _CHUNK // (law.systems * law.table.n_cells))
    yield from (min(most, n - done) for done in range(0, n, most))


def row_of(law: Law, n: int, seed: int = 1) -> Row:
    """Both readings of so many studies of a law."""
    found, truths = _drawn(law, n, seed, 0.0)
    moved = _drawn(law, n, seed + 1, law.gap)[0] if law.gap else None
    good = np.isfinite(found[:, 0])
    found, truths = found[good], truths[good]
    out = [
        _reading(found[:, [0, at, at + 1]], truths[:, place], moved, at, law.gap)
        for place, at in enumerate((1, 3))
        if np.isfinite(found[:, at]).all()
    ]
    return Row(out[0], out[1] if len(out) > 1 else None, int(good.sum()), n)


def _drawn(law: Law, n: int, seed: int, gap: float) -> tuple[Any, Any]:
    rng, found, truths = np.random.default_rng(seed), [], []
    for size in _parts(law, n):
        scores, of_setup, of_all = law.studies(size, rng, gap)
        found.append(limits_of(law, scores, rng))
        truths.append(np.column_stack([of_setup, np.full(size, of_all)]))
    return np.concatenate(found), np.concatenate(truths)


def _reading(limits: Any, truth: Any, moved: Any, at: int, gap: float) -> Reading:
    value, low, high = limits.T
    error = value - truth
    sd = float(np.sqrt(np.mean((error - error.mean()) ** 2)))
    z = float(ndtri((1 + LEVEL) / 2))
    coverage, width = float(np.mean((low <= truth) & (truth <= high))), float(np.median(high - low)) / (2 * z * sd)
    if moved is None:
        return Reading(coverage, width)
    kept = moved[np.isfinite(moved[:, at])]
    power = float(np.mean((kept[:, at] > 0) | (kept[:, at + 1] < 0)))
    return Reading(coverage, width, power, float(np.mean(np.abs(kept[:, 0]) > z * sd)))


def line(name: str, law: Law, row: Row) -> str:
    """A row of the table."""

    def of(one: Reading | None) -> Sequence[str]:
        if one is None:
            return "", "", ""
        power = "" if math.isnan(one.power) else f"{one.power:.2f} of {one.known:.2f}"
        return f"{100 * one.coverage:.1f}", f"{one.width:.2f}", power

    return "| " + " | ".join((name, law.design, *of(row.setup), *of(row.others))) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--slow", type=int, default=400, help="studies of laws that are analysed one by one")
    parser.add_argument("--law", default="", help="only laws whose names hold this")
    asked = parser.parse_args()
    start = time.process_time()
    print("| law | items x prompts x judges | setup | width | power | others | width | power |")
    print("|---|---|---|---|---|---|---|---|")
    for name, law in LAWS.items():
        if asked.law in name:
            print(line(name, law, row_of(law, asked.studies if law.complete else asked.slow)), flush=True)
    print(f"\n{time.process_time() - start:.0f} CPU seconds")


if __name__ == "__main__":
    main()
