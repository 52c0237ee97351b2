from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from quorate.analysis.plain import plain
from quorate.estimate.means.targets import Pool


@dataclass(frozen=True)
class Result:
    value: float
    parts: tuple[float, ...]
    target: Pool


def test_results_become_json():
    result = {
        "a": Result(np.float64(1.5), (float("inf"), 2.0), Pool(20)),
        "b": np.array([[1, 2]]),
        "c": frozenset({"x"}),
    }
    expected = {"a": {"value": 1.5, "parts": [None, 2.0], "target": "pool of 20"}, "b": [[1, 2]], "c": ["x"]}
    assert json.loads(json.dumps(plain(result), allow_nan=False)) == expected


def test_numpy_scalars_become_python_s():
    assert [type(plain(value)) for value in (np.int64(1), np.float64(1), np.bool_(True))] == [int, float, bool]
