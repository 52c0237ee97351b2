from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest
from studies import rated
from tests.estimate.test_nominal import found, frame

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.words import number
from quorate.errors import InvalidInput
from quorate.reporting.pages import nominal
from quorate.reporting.paper.reproduce import Provenance, fingerprint, titled
from quorate.reporting.paper.writeup import methods_paragraph, writeup
from quorate.reporting.report import page_of
from quorate.table.facets import Source


def test_a_methods_paragraph_states_design_model_result_and_source(demo):
    text = methods_paragraph(demo)
    assert "1,773 judgments of 60 items, 5 prompts, 3 judges and 12 categories; 27 of 1,800 rows had no usable" in text
    assert "restricted maximum likelihood" in text
    assert "; its fixed effects are judge" in text
    law = f"Student's t with {demo.setup.df:.1f} degrees of freedom over items"
    assert (
        f"(standard error {number(demo.setup.se, 3)}; {law}). Its 95% interval is 6.730 to 7.010 with these 5" in text
    )
    assert ", 6.382 to 7.358 for prompts and judges like these." in text
    assert "The largest share of its variance for prompts and judges like these, 65%, comes from judge." in text


def test_what_stays_as_it_is_is_named(shape):
    text = methods_paragraph(shape("one judge"))
    assert "with these 2 prompts, with this judge only" in text
    assert "1 judge says nothing about other judges: three would." in text
    assert "Only the sum of item + item:judge can be estimated from this design" in text


@pytest.mark.slow
def test_the_estimator_is_named(shape):
    text = methods_paragraph(analyze_judgments(shape("balanced").judgments, method="anova"))
    assert "The balanced study" in text
    assert "expected mean squares" in text


def test_every_shape_has_a_paragraph(analysis):
    assert methods_paragraph(analysis).endswith(".")


def test_the_corrected_interval_stands_beside_the_naive_one(demo):
    assert "Taking all judgments as independent would have given 6.826 to 6.910, 3.3 times too narrow." in (
        methods_paragraph(demo)
    )


def test_the_design_to_use_next_is_the_one_that_was_projected(demo):
    text = methods_paragraph(demo)
    assert f'"{demo.purchases[0].label}" gains most per judgment: half of such studies find ±0.' in text
    assert f"with {demo.purchases[0].projection.calls:,} judgments." in text


def test_what_is_not_known_is_not_recommended(shape):
    changed = replace(shape("balanced"))
    changed.__dict__.update(what_if=())
    assert "These data do not determine what another design would give." in methods_paragraph(changed)


def test_a_writeup_is_its_paragraph_with_the_checklist_and_the_block(demo):
    found = writeup(demo, record={"seed": 7, "parsing": "first number"}, command="quorate x", seed=2)
    assert str(found) == found.paragraph == methods_paragraph(demo)
    assert found.reproduction["seed of record"] == "7"
    assert found.reproduction["seed"] == "2"
    assert len(found.missing) == 9
    assert found.to_dict()["checklist"][5]["text"] == "first number"


@pytest.mark.slow
def test_a_fit_and_judgments_are_written_up_alike(demo):
    fitted, read = (str(q.writeup(source)) for source in (analyze_judgments(demo.judgments).fit, demo.judgments))
    assert fitted == read
    assert "27 of 1,800 rows" in read
    with pytest.raises(InvalidInput, match="what analyze gives of scores, is needed, got int"):
        q.writeup(7)


def test_hostile_records_and_labels_are_text_in_markdown(shape):
    record = {"parsing": "<script>alert(1)</script> | # *x* [a](javascript:b)", "items": "=1+1\n# heading"}
    text = writeup(shape("hostile labels"), record=record).to_markdown()
    assert not re.search(r"<(script|img|b)\b", text)
    assert "&lt;script&gt;" in text
    assert not re.search(r"[^\\]\]\(", text)
    assert re.findall(r"^#+ .*", text, re.MULTILINE) == [
        *("## Methods", "## Reporting checklist", "### Minimum", "### Standard", "### Comprehensive", "### Further"),
        "## To do it again",
    ]


def test_limits_of_the_scores_are_stated(shape):
    paragraph = methods_paragraph(shape("demo"))
    assert "say nothing of what these leave out of the domain that is meant" in paragraph
    assert "in another domain they can be larger or smaller" in paragraph
    assert "taken as numbers" not in methods_paragraph(shape("demo"))
    rows = [
        (item, judge, (item * item + item * place) % 3 % 2) for item in range(20) for place, judge in enumerate("abc")
    ]
    marks = pl.DataFrame(rows, ["item", "judge", "score"], orient="row")
    said = methods_paragraph(analyze_judgments(q.read(marks, announce=False)))
    assert "Scores of 0 and 1 were taken as numbers" in said


def test_one_paragraph_with_shares_alpha_and_sizes():
    text = nominal.methods(found())
    assert text.startswith("4 judges gave 160 labels of 3 kinds to 40 items. Shares of items by label (95% intervals")
    for said in (
        "Krippendorff's alpha is .",
        "Fleiss' kappa is .",
        "Gwet's AC1 is .",
        "count items and judges as sampled",
    ):
        assert said in text
    assert "\n" not in text


def test_writeup():
    written = q.writeup(found(), command="quorate report l.csv --labels")
    assert (written.paragraph, written.checklist) == (nominal.methods(found()), ())
    assert written.reproduction["labels"] == "fine, rude, spam"
    assert "Reporting checklist" not in written.to_markdown()
    table = q.read(frame(), score="verdict", labels=True, announce=False)
    assert q.writeup(table).paragraph == written.paragraph
    with pytest.raises(InvalidInput, match="no checklist"):
        q.writeup(found(), record={"seed": 1})


def test_one_judge_and_gaps():
    one = frame().filter(frame()["judge"] == "j0")
    table = q.read(one, score="verdict", labels=True, missing=("spam",), announce=False)
    text = nominal.methods(q.scores.labels(table))
    assert "1 judge gave" in text
    assert " rows had no label and were taken as missing at random" in text
    assert "nothing is known of agreement" in text


def test_what_is_needed_to_do_it_again(table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    analysis = analyze_judgments(q.read(path, announce=False), price=0.5)
    found = page_of(analysis, record={"seed": 3}, origin=Provenance("quorate analyze scores.csv", 7)).provenance
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
    found = page_of(demo).provenance
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
    origin = Provenance("quorate analyze 's3://KEY:SECRET@bucket/scores.csv?token=TOKEN'")
    said = str(page_of(analysis, origin=origin).provenance)
    assert not re.search(
        "KEY|SECRET|TOKEN", said + titled(analysis.judgments.source, "Judgments from a") + str(analysis.to_dict())
    )


def test_environment_variables_are_not_told(demo, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in str(page_of(demo, origin=Provenance("quorate analyze x")).provenance)


@pytest.mark.parametrize("systems", [2, 3])
def test_a_page_and_a_write_up_come_from_one_table(systems):
    table, date = rated(systems=systems), {"date of the analysis": ""}
    assert page_of(table).provenance | date == writeup(table).reproduction | date
