from __future__ import annotations

import polars as pl
import pytest
from reference.style import votes

import quorate as q


def test_the_table_is_that_of_the_function(run, tmp_path):
    path = tmp_path / "votes.csv"
    pl.DataFrame(votes()).write_csv(path)
    ran = run("rank", "--models", path, "--covariate", "length", "--folds", "2")
    found = q.votes.models(q.read_votes(path, covariates=["length"], announce=False), covariates=["length"], folds=2)
    assert ran.code == 0
    assert " ".join(ran.out.split()).startswith(found.sentence)
    for one in found.models:
        assert f"{one.loss:.4g}" in ran.out
    assert found.to_dict()["models"][0]["loss"] == pytest.approx(found.models[0].loss)
