from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.words import content
from quorate.reporting.paper.record import study_record
from quorate.reporting.paper.reproduce import Provenance, fingerprint, provenance, titled
from quorate.table.judgments import Source


def test_what_is_needed_to_do_it_again(table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    analysis = analyze_judgments(q.read(path, announce=False), price=0.5)
    found = provenance(analysis, Provenance("quorate analyze scores.csv", 7), study_record({"seed": 3}))
    assert found["SHA-256 of the input"] == analysis.judgments.source.sha256
    assert found["software"] == f"quorate {q.__version__}"
    assert (found["command"], found["seed"], found["seed of record"]) == ("quorate analyze scores.csv", "7", "3")
    assert found["estimator"].startswith("REML, criterion ")
    assert found["options"] == "method reml, level 0.95, price 0.5"
    assert re.fullmatch(r"Python 3\.\d+\.\d+\S*, numpy \S+, scipy \S+", found["run with"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["date of the analysis"])
    assert "judge (fixed, 3 levels)" in found["facets"]
    assert found["model"].endswith("fixed: judge")


def test_a_frame_has_no_file_but_a_fingerprint(demo):
    found = provenance(demo, Provenance())
    assert found["seed"] == "fixed: the same input gives the same figures"
    assert found["SHA-256 of the input"].startswith("none")
    assert found["SHA-256 of the judgments"].startswith(fingerprint(demo.judgments))
    assert "study record" not in found


def test_a_fingerprint_is_that_of_the_judgments_not_of_their_format(table, tmp_path):
    frame = table(items=20).with_columns(score=pl.col("score").round(3))
    read = lambda source: fingerprint(q.read(source, announce=False))  # noqa: E731
    frame.write_csv(tmp_path / "a.csv")
    frame.sample(fraction=1, shuffle=True, seed=1).write_parquet(tmp_path / "b.parquet")
    found = {read(frame), read(frame.to_pandas()), read(tmp_path / "a.csv"), read(tmp_path / "b.parquet")}
    assert len(found) == 1
    assert read(frame.with_columns(score=pl.col("score") + 0.001 * (pl.col("item") == "item 3"))) not in found
    assert read(frame.with_columns(judge=pl.col("judge") + "x")) not in found
    assert read(frame.head(-1)) not in found


def test_a_report_names_neither_keys_nor_tokens(shape):
    source = Source("s3://KEY:SECRET@bucket/scores.csv?token=TOKEN", "0" * 64)
    small = shape("items only")
    analysis = replace(small, judgments=replace(small.judgments, source=source))
    said = str(provenance(analysis, Provenance("quorate analyze 's3://KEY:SECRET@bucket/scores.csv?token=TOKEN'")))
    assert not re.search(
        "KEY|SECRET|TOKEN", said + titled(analysis.judgments.source, "Judgments from a") + str(content(analysis))
    )


def test_environment_variables_are_not_told(demo, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in str(provenance(demo, Provenance("quorate analyze x")))
