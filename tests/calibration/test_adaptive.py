"""How adaptive policies compare with asking every arm alike: the numbers of docs/methods/adaptive.md."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from policies import OBJECTIVES, calls_to_target, moved_by_batches, paired_systems, right


def test_a_batch_differs_little_from_one_by_one():
    moved = np.array([moved_by_batches(seed, [4, 16, 64]) for seed in range(8)])
    assert moved.max(axis=0).tolist() == [3, 4, 8]


def test_focus_on_the_boundary_finds_the_better_system_more_often():
    drawn = [paired_systems(seed) for seed in range(20)]
    wrong = {name: 1 - np.mean([right(name, draws, truth, 80 * 20) for truth, draws in drawn]) for name in OBJECTIVES}
    assert wrong == pytest.approx({"uniform": 0.065, "worst": 0.0525, "boundary": 0.015}, abs=1e-9)


def test_a_target_takes_fewer_calls_than_asking_every_arm_alike():
    calls = {
        (name, target): sum(calls_to_target(name, target, seed) for seed in range(5)) // 5
        for name, target in itertools.product(("uniform", "robin-hood"), (0.5, 0.3))
    }
    assert calls == {
        ("uniform", 0.5): 4248,
        ("robin-hood", 0.5): 1608,
        ("uniform", 0.3): 12_462,
        ("robin-hood", 0.3): 3576,
    }
