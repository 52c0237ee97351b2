"""Tasks of an evaluation beside small packages of the field, on simulated data whose truth is known.

``pip install evalaudit truescore evalsig arenakit`` (0.6.0, 0.7.4, 0.1.2, 0.1.1), then ``python benchmarks/tasks.py``,
or some of them: ``python benchmarks/tasks.py gate drift``. Each line says what was asked, how often each was right,
with its Monte Carlo error, and CPU milliseconds an answer.
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

    for gap, what in (
        (-0.03, "passed though worse by the margin (at most .05)"),
        (0.0, "the same"),
        (0.05, "better by .05"),
    ):
        studies = [study(gap) for _ in range(200)]
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


TASKS = {one.__name__: one for one in (judge, power, gate, drift, bar, board)}


if __name__ == "__main__":
    for asked in sys.argv[1:] or TASKS:
        for line in TASKS[asked]():
            print(line, flush=True)
