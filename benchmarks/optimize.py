"""A million candidate designs: Quorate's search against scipy.optimize.brute and a plain loop over quorate.project.

Run with ``make bench``, or alone: ``python benchmarks/optimize.py``. Published components, a budget of 1,000 calls. The
peers go through every tenth number of items and every second or third of the rest, and their CPU seconds are scaled by
the number of designs; on those designs all must find the same standard error. scipy searches crossed designs alone, by
the formula written out (Messing 2026, Eq. 3); the loop goes through every layout.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import scipy
from scipy.optimize import brute

import quorate as q

SAFETY = {
    "item": 0.010388865023098515,
    "category": 0.0024294495273483345,
    "prompt": 4.602379577174715e-14,
    "item:prompt": 0.0017939977814810507,
    "item:judge": 0.025050691069557353,
    "prompt:judge": 6.598746549346365e-4,
    "cell": 0.005165442566614013,
    "replicate": 0.011978834819064439,
}
"""Messing (2026), safety study: components of its replication data."""
JUDGE = 4.653511507238085e-4
BUDGET = 1000.0
ALL = ("factorial", "cyclic", "latin")
LARGE = {"items": range(100, 600), "prompts": range(3, 11), "judges": range(1, 11), "replicates": range(1, 9)}
SMALL = {name: values[::step] for (name, values), step in zip(LARGE.items(), (10, 2, 3, 3), strict=True)}
Limits = Mapping[str, Sequence[int]]


def equation_3(design: np.ndarray) -> float:
    """Standard error of a crossed design; infinite beyond the budget."""
    n, v, m, r = design
    if n * v * m * r > BUDGET:
        return math.inf
    s = SAFETY
    variance = (s["item"] + s["category"]) / n + s["prompt"] / v + JUDGE / m + s["item:prompt"] / (n * v)
    variance += s["item:judge"] / (n * m) + s["prompt:judge"] / (v * m) + s["cell"] / (n * v * m)
    return math.sqrt(variance + s["replicate"] / (n * v * m * r))


def searched(limits: Limits, layouts: Sequence[str]) -> tuple[float, int]:
    """Smallest standard error within the budget, and the number of designs."""
    source = q.components(SAFETY, sensitivity={"judge": JUDGE})
    best = q.plan(source, budget=BUDGET, limits=limits, layouts=layouts)
    return best.se, best.candidates


def by_brute(limits: Limits) -> tuple[float, int]:
    """The same for crossed designs, by scipy."""
    grid = tuple(slice(values[0], values[-1] + 1, values.step) for values in limits.values())
    found = brute(equation_3, grid, full_output=True, finish=None)
    return float(found[1]), found[3].size


def by_loop(limits: Limits) -> tuple[float, int]:
    """The same for every layout, by one call of project per design."""
    source = q.components(SAFETY, sensitivity={"judge": JUDGE})
    least, designs = math.inf, 0
    for layout, counts in itertools.product(ALL, itertools.product(*limits.values())):
        chosen = dict(zip(limits, counts, strict=True))
        if (layout, chosen["judges"]) == ("cyclic", 1):
            continue  # the same cells as crossed
        plan = q.project(source, layout=layout, **chosen)
        designs += 1
        if plan.calls <= BUDGET:
            least = min(least, plan.se)
    return least, designs


def seconds(call: Callable[[], tuple[float, int]]) -> tuple[float, float, int]:
    """CPU seconds, least of three, and what was found."""
    times = []
    for _ in range(3):
        start = time.process_time()
        found = call()
        times.append(time.process_time() - start)
    return min(times), *found


def main() -> int:
    """Print the table; the exit code says whether all agree."""
    print(f"quorate {q.__version__}, scipy {scipy.__version__}, numpy {np.__version__}, OPENBLAS_NUM_THREADS=1")
    agree = True
    for layouts, name, peer in (
        (("factorial",), "scipy.optimize.brute", by_brute),
        (ALL, "loop over project", by_loop),
    ):
        ours, least, designs = seconds(lambda names=layouts: searched(LARGE, names))
        theirs, same, few = seconds(lambda call=peer: call(SMALL))
        here, candidates = searched(SMALL, layouts)
        # the narrowest interval is wanted, of which the least standard error is a bound that every layout may reach
        agree &= here >= same * (1 - 1e-9) and here < 1.05 * same and candidates == few
        print(f"{'/'.join(layouts)}: {designs:,} designs in {ours:.3f} CPU s, best standard error {least:.6f}")
        scaled = theirs * designs / few
        print(f"  {name}: {few:,} designs in {theirs:.3f} CPU s, so {scaled:.0f} s for all; ratio {scaled / ours:.0f}")
        print(f"  on those {few:,}: {here:.9f} and {same:.9f}, {candidates:,} candidates")
    print("all agree" if agree else "DIFFERENT")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
