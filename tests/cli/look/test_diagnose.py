from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.estimate.diagnostics.check import Check


@pytest.fixture(scope="module")
def noisy(tmp_path_factory) -> str:
    """A judge who is noisier than the others, and a column of times."""
    rng = np.random.default_rng(1)
    item, judge = (at.ravel() for at in np.indices((80, 4)))
    score = rng.normal(size=80)[item] + rng.normal(size=320) * np.where(judge == 2, 2.0, 0.5)
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    columns = {"item": item, "judge": [f"j{k}" for k in judge], "score": score, "day": np.arange(320)}
    pl.DataFrame(columns).write_csv(path)
    return str(path)


def test_what_stands_out_is_said_with_what_to_do(run, noisy):
    ran = run("analyze", "--check", noisy, "--resamples", "0", "--order", "day")
    assert ran.code == 2
    said = " ".join(ran.out.split())
    assert "noise of the judges (p < 0.001)" in said
    assert "To do: give each judge noise of its own (residual_by)" in said
    full = run("analyze", "--check", noisy, "--resamples", "0", "--full").out
    assert "Not looked at: odd-interaction (" in " ".join(full.split())


def test_json_and_the_report(run, noisy, tmp_path):
    page = tmp_path / "page.md"
    ran = run("analyze", "--check", noisy, "--resamples", "99", "--json", "--report", str(page))
    found = ran.json
    assert ran.code == 2
    assert {"checks", "not_looked_at", "quantiles", "thirds", "sentence", "resamples"} <= found.keys()
    assert set(Check.__dataclass_fields__) <= found["checks"][0].keys()
    text = page.read_text()
    assert "What was looked at" in text
    assert "Predicted effects against a normal law" in text


def test_the_doctor_looks_at_the_fit_too(run, noisy):
    ran = run("doctor", noisy, "--fit", "--json")
    assert "noise of the judges" in ran.json["diagnosis"]["sentence"]
    said = " ".join(run("doctor", noisy, "--fit").out.split())
    assert "looked at p among all verdict" in said
    assert ran.code == 0
