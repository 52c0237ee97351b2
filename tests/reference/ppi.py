"""What ppi_py says of ratings by few labels and many predictions: recorded in ppi.json, which `python ppi.py` prints.

    pip install ppi-python==0.2.3 && python ppi.py > ppi.json

A logistic regression without intercept on columns that are 1 for the first and -1 for the second system of a battle,
the last system left out; 80 of 320 battles are labelled. Its optimiser is told to go on to 1e-12.
"""

from __future__ import annotations

import json

import numpy as np
from ppi_py import ppi_logistic_pointestimate

rng = np.random.default_rng(7)
systems, n, others = 4, 80, 240
theta = np.array([0.6, 0.2, -0.2, -0.6])
a = rng.integers(0, systems, n + others)
b = (a + rng.integers(1, systems, n + others)) % systems
u = rng.logistic(size=n + others)
y = (theta[a] - theta[b] + u > 0).astype(float)
f = (theta[a] - theta[b] + u + rng.logistic(size=n + others) + 0.7 * ((a == 1) * 1.0 - (b == 1)) > 0).astype(float)
x = np.zeros((n + others, systems))
x[np.arange(n + others), a] = 1
x[np.arange(n + others), b] = -1
x = x[:, :-1]
options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10000}
answers = {
    str(lam): {
        "theta": ppi_logistic_pointestimate(
            x[:n], y[:n], f[:n], x[n:], f[n:], lam=lam, optimizer_options=options
        ).tolist()
    }
    for lam in (0.0, 0.5, 1.0)
}
columns = {name: column.astype(int).tolist() for name, column in {"a": a, "b": b, "y": y, "f": f}.items()}
print(json.dumps({**columns, "n": n, "answers": answers}))  # noqa: T201
