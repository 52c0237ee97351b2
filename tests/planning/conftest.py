"""Published components."""

from __future__ import annotations

import pytest

import quorate as q
from quorate.estimate.components.published import Components


@pytest.fixture(scope="session")
def safety() -> Components:
    """Total Evaluation Error, safety: 141 items, 12 categories, 5 prompts, 3 temperatures, 3 judges, 8 replicates."""
    return q.components(
        {
            "item": 0.010388865023098515,
            "category": 0.0024294495273483345,
            "prompt": 4.602379577174715e-14,
            "item:prompt": 0.0017939977814810507,
            "item:judge": 0.025050691069557353,
            "item:temperature": 0.0,
            "prompt:judge": 6.598746549346365e-4,
            "prompt:temperature": 0.0,
            "cell": 0.005165442566614013,
            "replicate": 0.011978834819064439,
        },
        sensitivity={"judge": 4.653511507238085e-4, "temperature": 3.402466983255481e-6},
    )


@pytest.fixture(scope="session")
def ideology() -> Components:
    """Total Evaluation Error, Likert ideology: 150 items, 5 prompts, 3 temperatures, 3 judges, 3 replicates."""
    return q.components(
        {
            "item": 0.8222054778678249,
            "category": 1.8e-10,
            "prompt": 0.008163901635697024,
            "item:prompt": 0.09564744960058487,
            "item:judge": 0.06149692732698285,
            "item:temperature": 3.897855208239497e-4,
            "prompt:judge": 0.028331741733963633,
            "prompt:temperature": 0.0,
            "replicate": 0.20742823266497193,
        },
        sensitivity={"judge": 0.033223243628801594, "temperature": 1.8958076854503905e-5},
    )
