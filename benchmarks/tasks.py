"""Tasks of an evaluation beside small packages of the field, on simulated data whose truth is known.

Run with ``make bench``, which installs them, or alone: ``python benchmarks/tasks.py``, with names of tasks for some of
them. Each line says what was asked, how often each was right, its Monte Carlo error, and CPU milliseconds an answer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl

import quorate as q

Answer = tuple[str, Callable[[Any], Any]]


def timed(answers: list[Answer], studies: list[Any]) -> Iterator[tuple[str, list[Any], float]]:
    """What each way answers to every study, and CPU milliseconds an answer."""
    for name, way in answers:
        way(studies[0])  # what is loaded and compiled is not the answer's
        start = time.process_time()
        found = [way(study) for study in studies]
        yield name, found, 1000 * (time.process_time() - start) / len(studies)


def share(values: list[Any]) -> str:
    """A share of studies with its Monte Carlo error."""
    p = float(np.mean(values))
    return f"{p:.3f} ({np.sqrt(max(p * (1 - p), 0.25 / len(values)) / len(values)):.3f})"


def scores(items: Any, **columns: Any) -> Any:
    """Judgments of a frame."""
    return q.read(pl.DataFrame({"item": items, **columns}), announce=False)


def judge() -> Iterator[str]:
    """Sensitivity .9 and specificity .8 of a judge on 100 labels: do the intervals hold both?"""
    import truescore.agreement

    rng = np.random.default_rng(1)
    studies = []
    for _ in range(100):
        gold = (rng.random(100) < 0.7).astype(int)
        studies.append((gold, (rng.random(100) < np.where(gold == 1, 0.9, 0.2)).astype(int)))

    def ours(study: Any) -> bool:
        gold, said = study
        found = q.agreement.against(
            scores(range(100), score=said), scores(range(100), score=gold), splits=20, resamples=20
        )
        [one] = found.rates
        return one.sensitivity.low <= 0.9 <= one.sensitivity.high and one.specificity.low <= 0.8 <= one.specificity.high

    def theirs(study: Any) -> bool:
        gold, said = study
        found = truescore.agreement.judge_agreement(said, gold, n_bootstrap=100)
        first, second = found.sensitivity, found.specificity
        return first.low <= 0.9 <= first.high and second.low <= 0.8 <= second.high

    for name, found, ms in timed([("quorate", ours), ("truescore, 100 resamples", theirs)], studies):
        yield f"judge validated, both intervals hold (at best .90): {name} {share(found)}, {ms:.1f} ms"


def power() -> Iterator[str]:
    """Items that find .70 against .75 with a chance of .9, both on the same items, correlation .5."""
    import evalaudit

    rng = np.random.default_rng(2)
    p, r, rho = 0.70, 0.75, 0.5
    both = p * r + rho * np.sqrt(p * (1 - p) * r * (1 - r))
    discordant = p + r - 2 * both

    def reached(n: int) -> float:
        won = rng.multinomial(n, (r - both, p - both, 1 - discordant), 4000)
        gap, spread = won[:, 0] - won[:, 1], won[:, 0] + won[:, 1]
        return float(np.mean(np.abs(gap) > 1.96 * np.sqrt(spread - gap**2 / n)))

    ways: list[Answer] = [
        ("quorate, from the correlation", lambda _: q.scores.plan_effect(rates=(p, r), correlation=rho).items),
        (
            "evalaudit, from the discordance",
            lambda _: evalaudit.min_sample_size(0.05, p, 0.9, discordance_rate=discordant).n,
        ),
        ("evalaudit, from nothing", lambda _: evalaudit.min_sample_size(0.05, p, 0.9).n),
    ]
    for name, found, ms in timed(ways, [None]):
        chance = reached(found[0])
        yield f"power before data, chance .9 wanted: {name} {found[0]:,} items, chance {chance:.3f}, {ms:.1f} ms"


def gate() -> Iterator[str]:
    """A release by 400 items: worse by the margin of .03, the same, and better by .05."""
    import evalsig

    rng = np.random.default_rng(3)

    def study(gap: float) -> Any:
        easy = rng.random(400)
        old = easy < 0.8
        moved = rng.random(400) < 0.1
        new = np.where(moved, rng.random(400) < 0.8, old)
        worse = rng.random(400) < abs(gap) / (0.8 if gap < 0 else 0.2)
        return old, np.where(worse, gap > 0, new)

    def frame(values: Any, name: str) -> Any:
        items = [evalsig.ItemResult(str(place), float(value)) for place, value in enumerate(values)]
        return evalsig.RunFrame(name, name, "task", "metric", items)

    def ours(one: Any) -> bool:
        old, new = one
        columns = {"system": ["old"] * 400 + ["new"] * 400, "score": np.concatenate([old, new]).astype(int)}
        table = scores([*range(400)] * 2, **columns)
        return q.compare(table, "new", "old", claim="not worse", margin=0.03).supported

    def theirs(one: Any) -> bool:
        old, new = one
        return evalsig.gate(frame(old, "old"), frame(new, "new"), min_delta=-0.03).verdict.value == "ALLOW"

    for gap, what, count in (
        (-0.03, "passed though worse by the margin (at most .05)", 2000),
        (0.0, "the same", 200),
        (0.05, "better by .05", 200),
    ):
        studies = [study(gap) for _ in range(count)]
        for name, found, ms in timed([("quorate", ours), ("evalsig", theirs)], studies):
            yield f"release gate, {what}: {name} {share(found)}, {ms:.1f} ms"


def drift() -> Iterator[str]:
    """A pass rate of .9 looked at 1,500 times, that stays, and that falls to .8 after 300."""
    import truescore

    rng = np.random.default_rng(4)

    def ours(stream: Any) -> int | None:
        found = q.scores.against_baseline(scores(range(1500), score=stream), 0.9)
        return found.alarm

    def theirs(stream: Any) -> int | None:
        return truescore.first_exclusion(stream, 0.9)

    ways: list[Answer] = [("quorate", ours), ("truescore", theirs)]
    kept = [(rng.random(1500) < 0.9).astype(float) for _ in range(40)]
    fell = [(rng.random(1500) < np.where(np.arange(1500) < 300, 0.9, 0.8)).astype(float) for _ in range(40)]
    for name, found, ms in timed(ways, kept):
        yield f"stream, false alarms (at most .05): {name} {share([one is not None for one in found])}, {ms:.1f} ms"
    for name, found, _ in timed(ways, fell):
        delays = [one - 300 for one in found if one is not None and one > 300]
        yield f"stream, fall to .8 after 300: {name} found {len(delays) / 40:.2f}, median delay {np.median(delays):.0f}"


def bar() -> Iterator[str]:
    """47 of 50 against 90%."""
    import evalaudit

    ways: list[Answer] = [
        ("quorate", lambda _: q.scores.plan_bar(0.9, seen=(47, 50)).sentence),
        ("evalaudit", lambda _: evalaudit.score_ci([1] * 47 + [0] * 3).summary().split(".")[0:1]),
    ]
    for name, found, ms in timed(ways, [None]):
        yield f"47 of 50 against a bar of .9: {name}: {found[0]} ({ms:.1f} ms)"


def board() -> Iterator[str]:
    """Six systems, 1,500 votes, five to a prompt: are circles named, only where there are some?"""
    import arenakit

    rng = np.random.default_rng(5)

    def votes(turn: float) -> Any:
        prompt = np.repeat(np.arange(300), 5)
        a = rng.integers(0, 6, 1500)
        b = (a + rng.integers(1, 6, 1500)) % 6
        rating, own = rng.normal(0, 0.6, 6), rng.normal(0, 0.5, (300, 6))
        odds = rating[a] - rating[b] + own[prompt, a] - own[prompt, b]
        if turn:
            odds = np.where((a < 3) & (b < 3), np.where((a - b) % 3 == 1, turn, -turn), odds)
        return prompt, a.astype(str), b.astype(str), rng.random(1500) < 1 / (1 + np.exp(-odds))

    def ours(one: Any) -> bool:
        prompt, a, b, won = one
        frame = pl.DataFrame(
            {"prompt": prompt, "model_a": a, "model_b": b, "winner": np.where(won, "model_a", "model_b")}
        )
        return any(one.code == "goes-round" for one in q.rank(q.read_votes(frame, announce=False)).caveats)

    def theirs(one: Any) -> bool:
        rows = zip(*one, strict=True)
        battles = [
            arenakit.Battle(model_a=a, model_b=b, winner="a" if won else "b", item_id=str(prompt))
            for prompt, a, b, won in rows
        ]
        return bool(arenakit.run_audit(arenakit.Arena(battles), n_resamples=200)["intransitivity"].triggered)

    for turn, what in ((0.0, "named though there is none"), (0.85, "a circle of 70% found")):
        studies = [votes(turn) for _ in range(20)]
        for name, found, ms in timed([("quorate", ours), ("arenakit, 200 resamples", theirs)], studies):
            yield f"board, {what}: {name} {share(found)}, {ms:.1f} ms"


def paired() -> Iterator[str]:
    """Two systems on 200 items, truly .1 apart: does the interval hold it?"""
    from errorbars.compare import paired_compare

    rng = np.random.default_rng(6)
    studies = []
    for _ in range(200):
        item = rng.normal(size=200)
        studies.append((item + 0.5 * rng.normal(size=200), 0.1 + item + 0.5 * rng.normal(size=200)))

    def ours(study: Any) -> tuple[float, float]:
        columns = {"system": ["a"] * 200 + ["b"] * 200, "score": np.concatenate(study)}
        return q.compare(scores([*range(200)] * 2, **columns), "b", "a").difference.estimate.ends

    def theirs(study: Any) -> tuple[float, float]:
        found = paired_compare(study[1], study[0])
        return found.ci_low, found.ci_high

    yield from covering("200 paired items", [("quorate", ours), ("errorbars", theirs)], studies, 0.1)


def documents() -> Iterator[str]:
    """The same, five questions to each of 40 documents that favour either system."""
    from errorbars.compare import paired_compare

    rng = np.random.default_rng(7)
    document = np.repeat(np.arange(40), 5)
    studies = []
    for _ in range(200):
        first = rng.normal(size=200)
        studies.append((first, 0.1 + first + 0.4 * rng.normal(size=40)[document] + 0.5 * rng.normal(size=200)))
    roles = {"item": "item", "system": "system", "document": "document"}

    def ours(study: Any) -> tuple[float, float]:
        columns = {"document": [*document] * 2, "system": ["a"] * 200 + ["b"] * 200, "score": np.concatenate(study)}
        table = q.read(pl.DataFrame({"item": [*range(200)] * 2, **columns}), facets=roles, announce=False)
        return q.compare(table, "b", "a").difference.estimate.ends

    def theirs(study: Any) -> tuple[float, float]:
        found = paired_compare(study[1], study[0], clusters=document)
        return found.ci_low_clustered, found.ci_high_clustered

    yield from covering("40 documents of 5 questions", [("quorate", ours), ("errorbars", theirs)], studies, 0.1)


def judges_too() -> Iterator[str]:
    """Two systems on 60 items, each judged by the same six judges, who favour either: for judges like these."""
    from errorbars.compare import paired_compare

    rng = np.random.default_rng(8)
    item, judge = np.indices((60, 6)).reshape(2, -1)
    studies = [
        (
            noise := rng.normal(size=360),
            0.1 + noise + 0.3 * rng.normal(size=6)[judge] + 0.2 * rng.normal(size=60)[item] + rng.normal(size=360),
        )
        for _ in range(200)
    ]

    def ours(study: Any) -> tuple[float, float]:
        columns = {"judge": [f"j{k}" for k in judge] * 2, "system": ["a"] * 360 + ["b"] * 360}
        table = scores([*item] * 2, **columns, score=np.concatenate(study))
        return q.compare(table, "b", "a").others.estimate.ends

    def theirs(study: Any) -> tuple[float, float]:
        found = paired_compare(study[1], study[0], clusters=item)
        return found.ci_low_clustered, found.ci_high_clustered

    yield from covering("judges like six seen", [("quorate", ours), ("errorbars, by item", theirs)], studies, 0.1)


def few() -> Iterator[str]:
    """20 answers, 19 of 20 right in truth: does the interval of the pass rate hold it?"""
    import errorbars

    rng = np.random.default_rng(9)
    studies = [(rng.random(20) < 0.95).astype(int) for _ in range(400)]

    def ours(study: Any) -> tuple[float, float]:
        found = q.analyze(scores(range(20), score=study)).estimate
        return found.ends

    def theirs(study: Any) -> tuple[float, float]:
        found = errorbars.wilson_ci(int(study.sum()), 20)
        return found.ci_low, found.ci_high

    yield from covering("a pass rate of .95 by 20", [("quorate", ours), ("errorbars, Wilson", theirs)], studies, 0.95)


def corrected() -> Iterator[str]:
    """A judge on 1,000 answers, people on 60 of them, 95% right in truth."""
    import ppi_py
    import truescore

    rng = np.random.default_rng(10)
    studies = []
    for _ in range(200):
        gold = (rng.random(1000) < 0.95).astype(float)
        studies.append((gold, np.where(rng.random(1000) < 0.9, gold, 1 - gold)))

    def ours(study: Any) -> tuple[float, float]:
        gold, said = study
        found = q.agreement.corrected(scores(range(1000), score=said), scores(range(60), score=gold[:60]))
        return found.estimate.ends

    def first(study: Any) -> tuple[float, float]:
        found = truescore.ppi_estimate(study[1], study[0][:60], np.arange(60))
        return found.low, found.high

    def second(study: Any) -> tuple[float, float]:
        gold, said = study
        low, high = ppi_py.ppi_mean_ci(gold[:60], said[:60], said[60:], alpha=0.05)
        return float(np.ravel(low)[0]), float(np.ravel(high)[0])

    ways = [("quorate", ours), ("truescore", first), ("ppi_py", second)]
    yield from covering("60 labels of people, 1,000 of a judge", ways, studies, 0.95)


def votes() -> Iterator[str]:
    """2,000 votes on two systems looked at after every one: named though equal, and found at 55%."""
    import evalsig
    import truescore

    rng = np.random.default_rng(11)

    def ours(won: Any) -> bool:
        columns = {"model_a": ["x"] * 2000, "model_b": ["y"] * 2000, "winner": np.where(won, "model_a", "model_b")}
        watched = q.votes.monitor(q.read_votes(pl.DataFrame(columns), announce=False), "x", "y", cluster=())
        return watched.outcome.value in ("better", "worse")

    ways = [
        ("quorate", ours),
        ("truescore", lambda won: truescore.first_exclusion(won.astype(float), 0.5) is not None),
        ("evalsig", lambda won: evalsig.sequential_gate(2.0 * won - 1, alternative="two-sided").stopped),
    ]
    for chance, what in ((0.5, "named though equal (at most .05)"), (0.55, "55% found")):
        studies = [rng.random(2000) < chance for _ in range(100)]
        for name, found, ms in timed(ways, studies):
            yield f"votes looked at as they come, {what}: {name} {share(found)}, {ms:.1f} ms"


def order() -> Iterator[str]:
    """Six equal systems, 1,500 votes: is any told from its neighbour?"""
    import arenakit

    rng = np.random.default_rng(12)
    studies = []
    for _ in range(100):
        a = rng.integers(0, 6, 1500)
        studies.append((a.astype(str), ((a + rng.integers(1, 6, 1500)) % 6).astype(str), rng.random(1500) < 0.5))

    def ours(one: Any) -> bool:
        a, b, won = one
        columns = {"model_a": a, "model_b": b, "winner": np.where(won, "model_a", "model_b")}
        return len(q.rank(q.read_votes(pl.DataFrame(columns), announce=False)).groups) > 1

    def theirs(one: Any) -> bool:
        battles = [
            arenakit.Battle(model_a=x, model_b=y, winner="a" if first else "b")
            for x, y, first in zip(*one, strict=True)
        ]
        arena = arenakit.Arena(battles)
        told = arenakit.separation(arenakit.bootstrap(arena, n_resamples=200), arena.models)
        return any(pair["resolved_simultaneous"] for pair in told.pairs)

    for name, found, ms in timed([("quorate", ours), ("arenakit, 200 resamples", theirs)], studies):
        yield f"board of equals, an order claimed (at most .05): {name} {share(found)}, {ms:.1f} ms"


def alike() -> Iterator[str]:
    """Nominal alpha of three raters on 100 texts, .7 in truth of the law: does an interval hold it?"""
    import truescore

    rng = np.random.default_rng(13)

    def table(texts: int) -> Any:
        true = rng.random(texts) < 0.5
        return np.where(rng.random((3, texts)) < 0.92, true, ~true).astype(int)

    truth = (2 * 0.92 - 1) ** 2  # chance agreement is one half, as either label is as frequent
    studies = [table(100) for _ in range(200)]

    def ours(study: Any) -> tuple[float, float]:
        columns = {"judge": np.repeat(["a", "b", "c"], 100), "score": study.ravel()}
        found = q.agreement.alpha(scores([*range(100)] * 3, **columns), "nominal")
        return found.low, found.high

    yield from covering("nominal alpha of 3 raters, 100 texts", [("quorate", ours)], studies, truth)
    for name, _, ms in timed([("truescore", truescore.krippendorff_alpha)], studies):
        yield f"nominal alpha of 3 raters, 100 texts: {name} gives no interval, {ms:.1f} ms"


def covering(what: str, ways: list[Answer], studies: list[Any], truth: float) -> Iterator[str]:
    """How often intervals hold the truth, how wide they are, and how often they leave the scale of a share."""
    for name, found, ms in timed(ways, studies):
        low, high = np.transpose(found)
        out = f", beyond 1 in {np.mean(high > 1):.2f}" if np.any(high > 1) and 0.5 < truth < 1 else ""
        held = share(list((low <= truth) & (truth <= high)))
        yield f"{what}, interval holds (.95): {name} {held}, width {np.mean(high - low):.3f}{out}, {ms:.1f} ms"


TASKS = {
    one.__name__: one
    for one in (
        *(judge, power, gate, drift, bar, board, paired, documents, judges_too),
        *(few, corrected, votes, order, alike),
    )
}


if __name__ == "__main__":
    for asked in sys.argv[1:] or TASKS:
        for line in TASKS[asked]():
            print(line, flush=True)
