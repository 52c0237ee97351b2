"""Every layout carried out on simulated scores: the realised standard error of the mean is the projected one.

`assign` makes the calls, scores follow from known components, and the mean is taken with the weights that the
projection assumes. Simulated are 40,000 studies, so the Monte Carlo error of a standard error is .4%. Run with ``-s``
to see every design.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import quorate as q
from quorate.planning.assign import assign
from quorate.planning.designs.dstudy import scheme_of
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments

STUDIES = 40_000
TOLERANCE = 0.02
JUDGES = ("a", "b", "c", "d")
PLAIN = {"item": 0.30, "cell": 0.25, "replicate": 0.20}
INTERACTION = {"item": 0.30, "item:judge": 0.35, "cell": 0.15, "replicate": 0.20}
PROMPTS = {**INTERACTION, "prompt": 0.10, "item:prompt": 0.15, "prompt:judge": 0.12}
RESPONSES = {"item": 0.30, "item:generation": 0.40, "item:judge": 0.35, "cell": 0.25}
SPREAD = 0.5
"""Mean square of the judges' effects (divisor K)."""


@dataclass(frozen=True)
class Case:
    """One design: what it is called, how it is assigned, what scores vary by, and what judges stand for."""

    name: str
    layout: str
    items: int
    components: dict[str, float]
    target: Any = "panel"
    options: dict[str, Any] = field(default_factory=dict)
    judges: tuple[str, ...] = JUDGES
    prompts: tuple[str, ...] = ()
    balanced: float = 1.0
    plans: int = 20

    def plan(self, seed):
        return assign(
            items=self.items, judges=self.judges, prompts=self.prompts, layout=self.layout, seed=seed, **self.options
        )


POOL = q.pool(7)
PLACES = {"places": {"a": 5, "b": 2, "c": 1, "d": 1}}
CASES = [
    Case("crossed", "factorial", 25, INTERACTION),
    Case("crossed, judges drawn", "factorial", 25, INTERACTION, "drawn"),
    Case("crossed, pool", "factorial", 25, INTERACTION, POOL),
    Case("crossed, prompts, replicates", "factorial", 12, PROMPTS, options={"replicates": 2}, prompts=("x", "y", "z")),
    Case("crossed, responses", "factorial", 12, RESPONSES, options={"generations": 3}),
    Case("random", "random", 30, PLAIN, plans=4_000),
    Case("random, interaction", "random", 30, INTERACTION, plans=4_000),
    Case("random, plain mean", "random", 30, INTERACTION, balanced=0.0, plans=4_000),
    Case("random, half way", "random", 30, INTERACTION, balanced=0.5, plans=4_000),
    Case("random, judges drawn", "random", 30, INTERACTION, "drawn", plans=2_000),
    Case("random, pool", "random", 30, INTERACTION, POOL, plans=2_000),
    Case("random, responses", "random", 15, RESPONSES, options={"generations": 3}, plans=4_000),
    Case(
        "random, responses, plain mean", "random", 15, RESPONSES, options={"generations": 3}, balanced=0.0, plans=4_000
    ),
    Case("cyclic", "cyclic", 40, PLAIN),
    Case("cyclic, interaction", "cyclic", 40, INTERACTION),
    Case("cyclic, remainder", "cyclic", 39, INTERACTION),
    Case("cyclic, remainder, plain mean", "cyclic", 7, INTERACTION, balanced=0.0, plans=2_000),
    Case("cyclic, remainder, judges drawn", "cyclic", 7, INTERACTION, "drawn", plans=2_000),
    Case("cyclic, remainder, sensitivity", "cyclic", 7, INTERACTION, "sensitivity", plans=2_000),
    Case("cyclic, pool", "cyclic", 40, INTERACTION, POOL),
    Case("cyclic, remainder, pool, plain mean", "cyclic", 7, INTERACTION, POOL, balanced=0.0, plans=2_000),
    Case("cyclic, prompts crossed", "cyclic", 18, PROMPTS, prompts=("x", "y", "z")),
    Case("cyclic, one response", "cyclic", 40, RESPONSES, options={"generations": 1}),
    Case("cyclic, four responses", "cyclic", 12, RESPONSES, options={"generations": 4}),
    Case("cyclic, eight responses", "cyclic", 6, RESPONSES, options={"generations": 8}),
    Case("cyclic, three responses", "cyclic", 16, RESPONSES, options={"generations": 3}),
    Case("cyclic, six responses, remainder", "cyclic", 7, RESPONSES, options={"generations": 6}),
    Case(
        "cyclic, three responses, remainder, plain mean",
        "cyclic",
        3,
        RESPONSES,
        options={"generations": 3},
        balanced=0.0,
        plans=2_000,
    ),
    Case("weighted", "weighted", 36, INTERACTION, options=PLACES),
    Case("weighted, remainder", "weighted", 40, INTERACTION, options=PLACES),
    Case("weighted, half traded", "weighted", 36, INTERACTION, options=PLACES, balanced=0.5),
    Case("weighted, plain mean", "weighted", 36, INTERACTION, options=PLACES, balanced=0.0),
    Case("weighted, judges drawn", "weighted", 36, INTERACTION, "drawn", options=PLACES),
    Case("weighted, responses", "weighted", 20, RESPONSES, options={**PLACES, "generations": 2}),
    Case("latin", "latin", 36, PROMPTS, prompts=("x", "y", "z")),
    Case("latin, remainder", "latin", 29, PROMPTS, prompts=("x", "y", "z")),
    Case("latin, remainder, judges drawn", "latin", 29, PROMPTS, "drawn", prompts=("x", "y", "z"), plans=2_000),
    Case("latin, remainder, plain mean", "latin", 14, PROMPTS, prompts=("x", "y", "z"), balanced=0.0, plans=2_000),
    Case("latin, pool, replicates", "latin", 24, PROMPTS, POOL, {"replicates": 2}, prompts=("x", "y", "z")),
    Case("latin, two pairs", "latin", 24, PROMPTS, options={"per_item": 2}, prompts=("x", "y", "z")),
    Case("latin, five pairs, remainder", "latin", 17, PROMPTS, options={"per_item": 5}, prompts=("x", "y", "z")),
    Case("blocks of two", "blocks", 24, INTERACTION, options={"per_item": 2}),
    Case("blocks of three, remainder", "blocks", 18, INTERACTION, options={"per_item": 3}, judges=(*JUDGES, "e")),
    Case(
        "blocks of two, remainder, plain mean",
        "blocks",
        7,
        INTERACTION,
        "panel",
        {"per_item": 2},
        balanced=0.0,
        plans=2_000,
    ),
    Case("blocks of two, judges drawn", "blocks", 24, INTERACTION, "drawn", {"per_item": 2}),
    Case("blocks of two, responses", "blocks", 12, RESPONSES, options={"per_item": 2, "generations": 2}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_realised_standard_error_is_the_projected_one(case):
    projected = projection(case).se
    rng = np.random.default_rng(20260301)
    gamma = panel_effects(case, rng)
    means = [studies(case, case.plan(seed), gamma, rng) for seed in range(case.plans)]
    realised = np.sqrt(np.mean(np.concatenate(means) ** 2))
    print(f"\n{case.name}: projected {projected:.4f}, realised {realised:.4f}, {realised / projected - 1:+.1%}")
    assert sum(map(len, means)) >= STUDIES
    assert realised == pytest.approx(projected, rel=TOLERANCE)


def projection(case):
    options = case.plan(0).project_options()
    if case.target == "drawn":
        return q.project(q.components({**case.components, "judge": SPREAD}), **options)
    source = q.components(case.components, sensitivity={"judge": SPREAD})
    return q.project(source, targets={"judge": case.target}, balanced=case.balanced, **options)


def panel_effects(case, rng):
    """Effects of the judges of the panel, or of the pool it is taken from; fixed over all studies."""
    size = len(case.judges) if case.target in ("panel", "drawn", "sensitivity") else case.target.size
    effects = rng.normal(size=size)
    effects -= effects.mean()
    return effects * np.sqrt(SPREAD / np.mean(effects**2))


def studies(case, plan, gamma, rng):
    """Means of many studies with one plan, each less what it is an estimate of."""
    count = -(-STUDIES // case.plans)
    fixed = case.target != "drawn"
    weight = plan.weights(balanced=case.balanced if fixed else 0.0)
    scores = judge_scores(case, plan, gamma, count, rng)
    for name, variance in case.components.items():
        code, levels = term(plan, name)
        scores += np.sqrt(variance) * rng.normal(size=(count, levels))[:, code]
    return scores @ weight


def judge_scores(case, plan, gamma, count, rng):
    """What the judges add to every row, about what the target says they should add on average.

    Judges of a panel keep their effects: that a remainder falls on any of them is the doing of `assign`. Places go by
    name, and which judge has which effect is not known when they are given.
    """
    judges = len(case.judges)
    if case.target in ("drawn", "sensitivity"):
        effects = rng.normal(scale=np.sqrt(SPREAD), size=(count, judges))
    elif case.target == "panel" and case.layout != "weighted":
        effects = np.broadcast_to(gamma, (count, judges))
    else:
        effects = rng.permuted(np.tile(gamma, (count, 1)), axis=1)[:, :judges]
    place = np.array([case.judges.index(judge) for judge in plan.levels["judge"]])
    return effects[:, place[plan.code("judge")]]


def term(plan, name):
    """Level of a term in every row, and how many there are."""
    names = tuple(plan.levels) if name in ("cell", "replicate") else tuple(name.split(":"))
    key = np.zeros(len(plan), dtype=np.int64)
    for one in names:
        key = key * len(plan.levels[one]) + plan.code(one)
    if name == "replicate":
        key = key * (int(plan.replicate.max()) + 1) + plan.replicate
    distinct, code = np.unique(key, return_inverse=True)
    return code, len(distinct)


@pytest.fixture(scope="module")
def noisy():
    """A fit of a crossed pilot in which judges differ in noise tenfold."""
    rng = np.random.default_rng(5)
    codes = np.array(np.meshgrid(np.arange(60), np.arange(3), indexing="ij")).reshape(2, -1).T
    item, both = rng.normal(scale=0.5, size=60), rng.normal(scale=0.4, size=(60, 3))
    mean = item[codes[:, 0]] + both[codes[:, 0], codes[:, 1]]
    noise = np.array([1.6, 0.5, 0.5])[codes[:, 1]]
    mean = mean + np.array([0.4, -0.1, -0.3])[codes[:, 1]] + noise * rng.normal(size=180) / np.sqrt(3)
    n, ss = np.full(180, 3), noise**2 * rng.chisquare(2, size=180)
    facets = (Facet("item", "item", tuple(f"i{i}" for i in range(60))), Facet("judge", "judge", ("a", "b", "c"), True))
    table = Judgments(facets, "item", "score", codes.astype(np.int32), n, mean, ss, mean, mean, {"ok": n})
    return q.decompose(table, residual_by="judge")


@pytest.mark.parametrize(
    ("layout", "options"),
    [
        ("cyclic", {}),
        ("weighted", {"places": {"a": 3, "b": 1, "c": 1}}),
        ("weighted", {"places": {"b": 1, "c": 2, "a": 4}}),
        ("blocks", {"per_item": 2}),
        ("factorial", {}),
    ],
)
@pytest.mark.parametrize("items", [30, 41])
def test_judges_with_noise_of_their_own(noisy, layout, options, items):
    plan = assign(items=items, judges=["a", "b", "c"], layout=layout, seed=3, **options)
    projected = q.project(noisy, **plan.project_options(), targets={"judge": "panel"}).se  # these three judges
    rng = np.random.default_rng(11)
    scores = np.zeros((STUDIES, len(plan)))
    for name, variance in noisy.variances.items():
        base, _, judge = name.removesuffix("]").partition("[judge=")
        code, levels = term(plan, base)
        mine = plan.column("judge") == judge if judge else np.ones(len(plan), dtype=bool)
        scores += mine * np.sqrt(max(variance, 0.0)) * rng.normal(size=(STUDIES, levels))[:, code]
    realised = np.sqrt(np.mean((scores @ plan.weights()) ** 2))
    print(f"\n{layout} {options} {items}: projected {projected:.4f}, realised {realised:.4f}")
    assert realised == pytest.approx(projected, rel=TOLERANCE)


def test_the_weights_of_a_mixture_are_those_of_the_projection():
    """The layout that a projection lays out is the one that the plan carries."""
    plan = assign(items=36, judges=JUDGES, layout="weighted", seed=4, **PLACES)
    scheme = scheme_of("weighted", None, plan.project_options()["places"])
    assert scheme == plan.scheme
