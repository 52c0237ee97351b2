"""Rankings of some of six systems, and what choix 0.4.1 says of those without ties: writes ``rankings.json``.

Run with a Python that has it (``pip install choix==0.4.1``): ``python tests/reference/rankings.py``. It also writes
``/tmp/rankings.csv`` for ``rankings.R``: a row for every ranking, with the place of each system, 0 where it has none.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

SYSTEMS, RANKINGS = 6, 120


def rankings(ties: bool) -> list[list[int]]:
    """Place of every system in each ranking, 0 of those that are not in it, by a linear congruential generator."""
    state, out = 11, []

    def uniform() -> float:
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state + 0.5) / 2**31

    for _ in range(RANKINGS):
        worth = [0.4 * (SYSTEMS - i) - math.log(-math.log(uniform())) for i in range(SYSTEMS)]
        there = sorted(range(SYSTEMS), key=[uniform() for _ in range(SYSTEMS)].__getitem__)[: 2 + int(4 * uniform())]
        seen = [math.floor(1.5 * value) if ties else value for value in worth]
        levels = sorted({seen[i] for i in there}, reverse=True)
        out.append([levels.index(seen[i]) + 1 if i in there else 0 for i in range(SYSTEMS)])
    return out


def main() -> None:
    """Record the answers of choix, and write the rankings with ties for R."""
    import choix

    orders = [sorted((i for i in range(SYSTEMS) if row[i]), key=row.__getitem__) for row in rankings(ties=False)]
    found = {"ilsr": choix.ilsr_rankings(SYSTEMS, orders, tol=1e-14), "opt": choix.opt_rankings(SYSTEMS, orders)}
    answers = {name: (value - value.mean()).tolist() for name, value in found.items()}
    path = Path(__file__).with_name("rankings.json")
    path.write_text(json.dumps({**answers, "version": "choix 0.4.1"}, indent=1) + "\n")
    lines = [",".join(f"s{i}" for i in range(SYSTEMS)), *(",".join(map(str, row)) for row in rankings(ties=True))]
    Path("/tmp/rankings.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
