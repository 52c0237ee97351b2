from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.estimate.doctor.findings import findings, share_homogeneity

FACETS = {"item": "item", "prompt": "prompt", "judge": "judge"}


def found(judgments):
    return {one.code: one for one in findings(judgments, judgments.describe())}


def without(frame, lost):
    return frame.with_columns(score=pl.when(pl.Series(lost)).then(None).otherwise(pl.col("score")))


def test_homogeneity_of_a_published_table():
    """Agresti (2013), Categorical Data Analysis, table 3.2: aspirin and heart attack, 189 of 11034 and 104 of 11037.

    R: ``chisq.test(matrix(c(189, 104, 10845, 10933), 2), correct = FALSE)``: X-squared = 25.014, p-value = 5.692e-07.
    """
    assert share_homogeneity(np.array([189, 104]), np.array([11034, 11037])) == pytest.approx(5.692e-07, rel=1e-3)


@given(st.integers(2, 6), st.integers(2, 20))
def test_equal_shares_are_homogeneous(levels, count):
    assert share_homogeneity(np.full(levels, count), np.full(levels, 3 * count)) == 1


def test_too_few_to_compare_is_nan():
    assert np.isnan(share_homogeneity(np.array([1, 0, 0]), np.array([50, 50, 50])))
    assert np.isnan(share_homogeneity(np.array([7]), np.array([50])))


@pytest.mark.slow
def test_homogeneity_keeps_its_level():
    rng = np.random.default_rng(1)
    counts = rng.binomial(200, 0.03, size=(2000, 5))
    p = np.array([share_homogeneity(row, np.full(5, 200)) for row in counts])
    assert 0.03 < np.mean(p < 0.05) < 0.07


def test_nothing_to_find(judged):
    assert found(judged({"item": 6, "prompt": 4, "judge": 2}, replicates=2)) == {}


def test_missing_scores_that_differ_by_judge(simulate):
    frame = simulate({"item": 40, "prompt": 4, "judge": 3})
    lost = (pl.col("judge") == "judge0001") & (pl.col("item").str.slice(4).cast(int) % 4 == 0)
    judgments = q.read(without(frame, frame.select(lost).to_series()), facets=FACETS)
    got = found(judgments)
    assert got["missing"].severity == "warning"
    assert got["missing"].sentence.startswith(
        "40 of 480 judgments (8.3%) have no usable score (40 for no stated reason)"
    )
    differs = [one for one in findings(judgments, judgments.describe()) if one.code == "missing-differs"]
    (judge,) = [one for one in differs if " by judge:" in one.sentence]
    assert "from 0.0% (judge0000) to 25.0% (judge0001); chi-square test, p < 0.001" in judge.sentence
    assert not [one for one in differs if " by prompt:" in one.sentence]


def test_statuses_are_named(simulate):
    frame = simulate({"item": 4, "prompt": 4, "judge": 2}).with_columns(
        status=pl.Series(["refused", "unparsed", "unparsed"] + ["ok"] * 29)
    )
    sentence = found(q.read(frame, facets=FACETS, status="status"))["missing"].sentence
    assert "3 of 32 judgments (9.4%) have no usable score" in sentence
    assert "2 unparsed" in sentence
    assert "1 refused" in sentence


def test_levels_that_drop_out(simulate):
    frame = simulate({"item": 6, "prompt": 4, "judge": 2})
    got = found(q.read(without(frame, frame["item"] == "item0002"), facets=FACETS))
    assert got["lost-levels"].sentence == "1 of 6 items has no usable score and drops out: item0002"


def test_cells_that_do_not_occur(simulate):
    frame = simulate({"item": 40, "prompt": 4, "judge": 2})
    got = found(
        q.read(frame.filter(~((pl.col("prompt") == "prompt0003") & (pl.col("item") > "item0019"))), facets=FACETS)
    )
    assert got["incomplete"].sentence.startswith("280 of the 320 cells of the full crossing (87.5%) occur")
    assert "absent-differs" not in got  # items and prompts meet in part only: no one can tell what was asked for


def test_duplicates_and_constants():
    rows = {"item": [1, 1, 2, 2], "judge": list("xxxx"), "replicate": [1, 1, 1, 2], "score": [3.0, 3.0, 3.0, 3.0]}
    got = found(q.read(pl.DataFrame(rows)))
    assert (got["duplicates"].severity, got["constant"].severity) == ("error", "warning")
    assert got["duplicates"].sentence == (
        "1 row repeats the facets and replicate of another row, the first at item 1, judge x. "
        "Drop the repeats, or name the column that tells them apart as a facet with facets={...}"
    )
    assert got["constant"].sentence == "all 4 scores are equal (3): only a bound of their mean is known"


def test_constant_cells_and_items():
    rows = {"item": [1, 1, 2, 2, 3, 3], "judge": list("xxxxxx"), "replicate": [1, 2] * 3, "score": [1, 1, 2, 2, 3, 4]}
    got = found(q.read(pl.DataFrame(rows)))
    assert got["constant-cells"].sentence.startswith("2 of 3 cells judged more than once (66.7%) got the same score")
    assert got["constant-objects"].sentence.startswith("2 of 3 items judged more than once (66.7%)")


def test_no_answers_and_one_item(judged):
    frame = pl.DataFrame(
        {"item": [1, 2], "judge": list("xy"), "score": [None, None]}, schema_overrides={"score": float}
    )
    assert found(q.read(frame))["no-answers"].sentence == "none of the 2 judgments has a usable score"
    assert found(judged({"item": 1, "prompt": 4, "judge": 2}))["one-object"].severity == "error"


def test_few_levels(judged):
    judgments = judged({"item": 6, "prompt": 3, "judge": 1, "order": 2})
    severities = {one.sentence.split(":")[0]: one.severity for one in findings(judgments, judgments.describe())}
    assert severities == {"3 prompts": "note", "1 judge": "note"}


def test_items_under_two_categories(judged):
    frame = pl.DataFrame({"item": [1, 1, 2, 2], "category": list("abaa"), "judge": list("xyxy"), "score": [1, 2, 3, 5]})
    got = found(q.read(frame, facets={"item": "item", "judge": "judge"}, nested={"item": "category"}))
    assert got["several-parents"].sentence.startswith("1 of 2 item labels occur under more than one category")


def test_a_category_that_is_not_declared_is_found_once(simulate):
    frame = simulate({"item": 6, "prompt": 4, "judge": 4}).with_columns(
        topic=pl.col("item").str.slice(4).cast(int) % 3, area=pl.col("item").str.slice(4).cast(int) % 3 % 2
    )
    judgments = q.read(frame, facets=FACETS | {"topic": "topic", "area": "area"})
    nested = [one.sentence for one in findings(judgments, judgments.describe()) if one.code == "nested"]
    assert judgments.facet("item").parent == "topic"
    assert len(nested) == 1
    assert nested[0].startswith("each topic occurs with one area only")


def test_facets_that_go_together(judged):
    judgments = judged({"item": 6, "prompt": 4, "judge": 4})
    paired = judgments.keep(judgments.column("prompt") == judgments.column("judge"))
    assert found(paired)["one-to-one"].sentence.startswith(
        "each prompt occurs with one judge and each judge with one prompt"
    )


def test_errors_come_first(judged):
    severities = [one.severity for one in findings(*table_and_facts())]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert len(set(severities)) == 3


def table_and_facts():
    rows = {"item": [1, 1, 2, 2], "prompt": list("abab"), "replicate": [1, 1, 1, 1], "score": [1.0, 2.0, 3.0, None]}
    doubled = pl.concat([pl.DataFrame(rows), pl.DataFrame(rows)[:1]])
    judgments = q.read(doubled)
    return judgments, judgments.describe()


def test_duplicates_name_the_column_that_tells_them_apart():
    rows = {"item": [1, 1, 2], "turn": [1, 2, 1], "rep": [1, 1, 1], "score": [3.0, 4.0, 5.0]}
    judgments = q.read(pl.DataFrame(rows), facets={"item": "item", "replicate": "rep"})
    named = 'name turn, which tells them apart, as a further facet with facets={"turn": "turn"}'
    assert found(judgments)["duplicates"].sentence.endswith(f"Drop the repeats, or {named}")
    with pytest.raises(q.errors.InvalidData, match="name turn, which tells them apart, as a further facet"):
        q.decompose(judgments)


def test_labels_that_differ_only_in_case(simulate):
    frame = simulate({"item": 6, "prompt": 4, "judge": 2})
    renamed = {"judge0000": "GPT-4", "judge0001": "gpt-4 "}
    one = found(q.read(frame.with_columns(pl.col("judge").replace(renamed)), facets=FACETS))["labels-alike"]
    assert one.severity == "warning"
    assert one.sentence == (
        "1 pair of judge labels differ only in case, and count as different judges: "
        '"GPT-4" and "gpt-4"; if they are the same, write them alike in column "judge"'
    )
    assert "labels-alike" not in found(q.read(frame, facets=FACETS))


def test_three_pairs_of_labels_are_shown():
    rows = {"item": ["a", "A", "b", "B", "c", "C", "d", "D"], "score": [1.0, 2, 3, 4, 5, 6, 7, 8]}
    sentence = found(q.read(pl.DataFrame(rows), facets={"item": "item"}))["labels-alike"].sentence
    assert sentence.startswith("4 pairs of item labels differ")
    assert '"A" and "a", "B" and "b" and "C" and "c" ...' in sentence


ROWS = [(i, j, s, (i * 7 + j * 3 + s) % (6 if s else 11)) for i in range(24) for j in range(3) for s in (0, 1)]
FRAME = pl.DataFrame(ROWS, schema=["item", "judge", "form", "score"], orient="row").with_columns(
    pl.col("form").replace_strict({0: "ten", 1: "five"})
)


def said(table):
    codes = ("several-scales", "labels-restart")
    return [finding.sentence for finding in q.doctor(table).findings if finding.code in codes]


@pytest.mark.parametrize("facets", [None, {"form": "form"}])
@pytest.mark.slow
def test_scores_on_two_scales(facets, tmp_path):
    path = tmp_path / "s.csv"
    FRAME.write_csv(path)
    told = (
        "scores of form five from 0 to 5 and ten from 0 to 10: if these are different scales, read one of them, with "
        "where=\"form = 'five'\""
    )
    for source in (path, FRAME, FRAME.lazy()):
        assert said(q.read(source, facets=facets, recognise=True, announce=False)) == [told]
    assert said(q.read(path, where="form = 'five'", announce=False)) == []
    assert said(q.read(path, scale=(0, 10), announce=False)) == []


@pytest.mark.slow
def test_scores_that_only_happen_to_end_elsewhere():
    assert said(q.read(FRAME.with_columns(pl.col("score") * 1.37), announce=False)) == []
    assert said(q.read(FRAME.filter(pl.col("item") < 5), announce=False)) == []


def test_a_source_that_is_gone_has_nothing_more_to_say(tmp_path):
    path = tmp_path / "s.csv"
    FRAME.write_csv(path)
    table = q.read(path, recognise=True, announce=False)
    path.unlink()
    assert said(table) == []


def test_labels_that_start_again():
    rows = [(p, t, i, (p + t * i) % 5) for p in range(1, 11) for t, k in ((1, 2), (2, 4)) for i in range(1, k + 1)]
    frame = pl.DataFrame(rows, schema=["judge", "test", "item", "score"], orient="row")
    told = (
        "labels of item count from 1 again at every level of test, 2 to 4 of them: if they are others there, declare "
        'nested={"item": "test"}'
    )
    assert said(q.read(frame, announce=False)) == [told]
    assert said(q.read(frame, nested={"item": "test"}, announce=False)) == []
    crossed = frame.filter(pl.col("item") < 3)
    assert said(q.read(crossed, announce=False)) == []


@pytest.mark.slow
def test_published_tables(shared):
    persons = {"Person": "Person", "Subtest": "Subtest"}
    table = q.read(shared / "data" / "gtheory_rajaratnam_2.parquet", facets=persons, recognise=True, announce=False)
    assert 'nested={"item": "Subtest"}' in said(table)[0]
    of_text = {"dimension": "dimension"}
    table = q.read(shared / "data" / "rating_scale_human_llm.parquet", facets=of_text, recognise=True, announce=False)
    assert said(table)[0].startswith("scores of scale_max 5 from 0 to 5, 10 from 0 to 10 and 100 from 0 to 100")
    assert 'where="scale_max = 5"' in said(table)[0]


@pytest.mark.parametrize(("shared", "codes"), [(0.0, []), (0.6, ["repeats-share"])])
def test_repeats_whose_labels_share_something_are_no_repeats(shared, codes):
    rng = np.random.default_rng(4)
    item, run = (at.ravel() for at in np.indices((50, 3)))
    score = rng.normal(size=50)[item] + shared * rng.normal(size=3)[run] + 0.5 * rng.normal(size=150)
    frame = pl.DataFrame({"item": item, "replicate": run, "score": score})
    found = [one for one in q.doctor(q.read(frame, announce=False)).findings if one.code.startswith("repeats")]
    assert [one.code for one in found] == codes
    assert all('"run": "replicate"' in one.sentence for one in found)
