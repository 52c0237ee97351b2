"""Report of trials: a row for each module, the share killed with its interval, and the mutants that live."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from scipy.stats import binomtest

from mutation.mutants import Mutant
from mutation.trial import Trial


def report(trials: Iterable[tuple[Mutant, Trial]], total: int) -> str:
    drawn = list(trials)
    trials = [(mutant, trial) for mutant, trial in drawn if trial.outcome != "the same"]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, trial in trials:
        for name in (mutant.module, "all"):
            counts[name][trial.outcome] += 1
    rows = [_row(name, counts[name]) for name in [*sorted(set(counts) - {"all"}), "all"]]
    live = [_live(mutant, trial) for mutant, trial in trials if trial.outcome == "live"]
    head = f"{'module':52}{'killed':>8}{'live':>6}{'timed out':>11}  share killed (95% interval)"
    without = f"without {len(drawn) - len(trials)} that change `strict` of a `zip`"
    return "\n".join([*live, f"{len(drawn)} of {total:,} mutants, {without}", head, *rows])


def _row(name: str, count: Counter[str]) -> str:
    n, killed = count.total(), count["killed"]
    low, high = binomtest(killed, n).proportion_ci(method="wilson")
    share = f"{killed / n:.0%} ({low:.0%} to {high:.0%})"
    return f"{name:52}{killed:8}{count['live']:6}{count['timed out']:11}  {share}"


def _live(mutant: Mutant, trial: Trial) -> str:
    reached = f"{trial.tests} tests reach it" if trial.tests else "no test reaches it"
    return f"{mutant.module}:{mutant.number} lives; {reached}\n{mutant.diff}\n"
