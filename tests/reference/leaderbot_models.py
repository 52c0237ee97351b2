"""Davidson's and Rao and Kupper's models by leaderbot 0.4.3: writes ``leaderbot.json`` beside this file.

Run with a Python that has it (``pip install leaderbot==0.4.3``): ``python tests/reference/leaderbot_models.py``, on the
votes of ``style.py``. Without covariances of its own (``k_cov=None``) and with one parameter of ties for all systems
(``k_tie=0``); its loss is minus the log likelihood over votes. (Ties of every system are other models there.)
"""

from __future__ import annotations

import json
from pathlib import Path

from style import SYSTEMS, votes


def counts() -> dict[tuple[int, int], list[float]]:
    """Wins of the first, of the second, and ties of every pair."""
    out: dict[tuple[int, int], list[float]] = {}
    for row in votes():
        a, b = (int(str(row[side])[1:]) for side in ("model_a", "model_b"))
        outcome = ("model_a", "model_b", "tie").index(str(row["winner"]))
        place = {0: 1, 1: 0, 2: 2}[outcome] if a > b else outcome
        out.setdefault((min(a, b), max(a, b)), [0.0, 0.0, 0.0])[place] += 1
    return out


def main() -> None:
    """Record ratings about their mean, parameters of ties, and log likelihoods."""
    import leaderbot
    import numpy as np

    found = sorted(counts().items())
    pairs, won = (np.array(part) for part in zip(*found, strict=True))
    data = {"X": pairs, "Y": won, "models": [f"s{i}" for i in range(SYSTEMS)]}
    answers = {}
    for name, kind in (("davidson", leaderbot.models.Davidson), ("rao-kupper", leaderbot.models.RaoKupper)):
        model = kind(data, k_cov=None, k_tie=0)
        model.train(method="BFGS", tol=1e-14, max_iter=10_000)
        rating, tie = model.param[:SYSTEMS], float(model.param[SYSTEMS])
        value = -float(model.loss()) * float(won.sum())
        answers[name] = {"rating": (rating - rating.mean()).tolist(), "tie": tie, "value": value}
    text = json.dumps({**answers, "version": "leaderbot 0.4.3"}, indent=1)
    Path(__file__).with_name("leaderbot.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
