from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q


def responses(gap: float, systems: int = 3, *, binary: bool = False, items: int = 60) -> pl.DataFrame:
    """A judge and a person on responses of systems whose means lie so far apart."""
    rng = np.random.default_rng(4)
    rows = []
    for k in range(items):
        for s in range(systems):
            true = gap * (s - 1) + 0.5 * rng.normal()
            for who in ("gpt", "ann"):
                said = true + 0.8 * rng.normal()
                mark = float(said > 0) if binary else float(np.clip(np.rint(3 + said), 1, 5))
                rows.append((f"q{k}", f"s{s}", who, mark))
    return pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row")


def against(frame: pl.DataFrame):
    return q.agreement.against(q.read(frame, announce=False), "ann")


def both(frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    wide = frame.pivot(on="judge", index=["item", "system"], values="score").sort("system")
    return wide["gpt"].to_numpy(), wide["ann"].to_numpy(), wide["system"].to_numpy()


def test_correlations_of_marks_are_also_those_inside_systems():
    frame = responses(1.5)
    found = against(frame)
    gpt, ann, system = both(frame)
    apart = [one - np.array([one[system == s].mean() for s in system]) for one in (gpt, ann)]
    assert found.within.judges["gpt"] == pytest.approx(np.corrcoef(*apart)[0, 1])
    assert found.marks[0].correlation.value == pytest.approx(np.corrcoef(gpt, ann)[0, 1])
    (said,) = [one.sentence for one in found.caveats if one.code == "systems-differ"]
    assert f"is {found.within.judges['gpt']:.2f}, not {found.marks[0].correlation.value:.2f}" in said


def test_kappas_of_verdicts_are_also_by_the_chance_of_each_system():
    frame = responses(1.5, binary=True)
    found = against(frame)
    gpt, ann, system = both(frame)
    passed = np.array([[one[system == s].mean() for s in system] for one in (gpt, ann)])  # by each in each system
    right = np.mean(gpt == ann)

    def beyond(chance: float) -> float:
        return (right - chance) / (1 - chance)

    assert found.within.judges["gpt"] == pytest.approx(beyond(np.mean(passed.prod(axis=0) + (1 - passed).prod(axis=0))))
    of_all = passed.mean(axis=1)
    assert found.kappas["gpt"].value == pytest.approx(beyond(of_all.prod() + (1 - of_all).prod()))
    assert "systems-differ" in [one.code for one in found.caveats]


def test_systems_that_do_not_differ_add_nothing_and_nothing_is_said():
    found = against(responses(0.0))
    assert found.within.judges["gpt"] == pytest.approx(found.marks[0].correlation.value, abs=0.05)
    assert "systems-differ" not in [one.code for one in found.caveats]


def test_one_system_has_no_inside():
    assert against(responses(0.0, 1)).within is None
    assert against(responses(0.0, 1).drop("system")).within is None


def labelled(chances: tuple[float, float]) -> pl.DataFrame:
    """Labels by three judges of answers of two systems, which are good with these chances."""
    rng = np.random.default_rng(4)
    rows = []
    for s, chance in enumerate(chances):
        for k in range(60):
            true = rng.random() < chance
            said = [true if rng.random() < 0.4 else rng.random() < chance for _ in range(3)]
            rows += [(f"q{k}", f"s{s}", f"j{n}", "good" if one else "bad") for n, one in enumerate(said)]
    return pl.DataFrame(rows, schema=["item", "system", "judge", "label"], orient="row")


def test_alpha_of_labels_of_systems_that_differ_is_said_to_be_less_inside_them():
    frame = labelled((0.85, 0.15))
    found = q.analyze(q.read(frame, score="label", labels=True, announce=False))
    (said,) = [one.sentence for one in found.caveats if one.code == "systems-differ"]
    observed = expected = 0.0
    for system in ("s0", "s1"):
        own = frame.filter(system=system)
        good = own.group_by("item").agg((pl.col("label") == "good").sum())["label"].to_numpy()
        observed += (good * (3 - good)).sum() / 3  # of three pairs those that are unlike
        total, n = good.sum(), 180
        expected += 2 * total * (n - total) / (n * (n - 1)) * 60
    alpha = found.coefficient("Krippendorff's alpha").value
    assert f"alpha is {1 - observed / expected:.2f}, not {alpha:.2f}" in said


def test_alpha_of_labels_of_systems_that_do_not_differ_is_left_alone():
    found = q.analyze(q.read(labelled((0.5, 0.5)), score="label", labels=True, announce=False))
    assert "systems-differ" not in [one.code for one in found.caveats]
