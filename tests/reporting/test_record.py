from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.errors import InvalidInput
from quorate.reporting.paper.record import (
    KEYS,
    MISSING,
    MOST_BYTES,
    MOST_ENTRIES,
    NOT_APPLICABLE,
    REPORTED,
    Record,
    checklist,
    missing,
    study_record,
)


def written(tmp_path, text: str | bytes):
    path = tmp_path / "study.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_and_a_mapping_say_the_same(tmp_path):
    path = written(tmp_path, "parsing: first number\nseed: 7\nmodels: {a: {version: m-1, provider: X}}\n")
    from_file, given = study_record(path), study_record({"parsing": "first number", "seed": 7})
    assert from_file.says("parsing") == given.says("parsing") == "first number"
    assert from_file.says("models")["a"]["provider"] == "X"
    assert (len(from_file.sha256), given.sha256) == (64, None)
    assert study_record(from_file) is from_file


def test_nothing_recorded_says_nothing(tmp_path):
    assert study_record(None).entries == study_record(written(tmp_path, "# only a comment\n")).entries == {}
    assert study_record({"parsing": "", "prompts": None}).says("parsing") is None


def test_every_key_can_be_said_not_to_apply():
    record = study_record({key: {"not applicable": "people judged"} for key in KEYS})
    assert all(record.says(key) is None and record.excuse(key) == "people judged" for key in KEYS)
    assert study_record({"serving": {"not applicable": "x"}}).excuse("serving", "quantization") is None


def test_dates_and_labels_with_markup_stay_what_they_are(tmp_path):
    record = study_record(written(tmp_path, 'dates: 2026-10-01\nprompts: {"<b>": "{{x}} $y `z`", "=1": "\\u202e"}\n'))
    assert str(record.says("dates")) == "2026-10-01"
    assert record.says("prompts") == {"<b>": "{{x}} $y `z`", "=1": "\u202e"}


BAD = {
    "unknown key": ("promts: x\n", 'unknown key "promts"; did you mean "prompts"? allowed keys: title, prompts,'),
    "key that is no text": ("1: x\n", 'unknown key "1"'),
    "wrong type": (
        "seed: seven\n",
        '"seed" must be whole (seed of record: of sampling, assignment or generation), got a',
    ),
    "yes for a number": ("seed: yes\n", "got a yes or no"),
    "negative seed": ("seed: -1\n", '"seed" must be whole'),
    "huge number": (f"seed: 1{'0' * 5000}\n", "cannot be read as YAML"),
    "not finite": ("temperature: .nan\n", "got a number that is not finite"),
    "not finite inside": ("temperature: {a: .inf}\n", "a number that is not finite"),
    "nested": ("models: {a: {b: {c: d}}}\n", '"models" is nested too deep'),
    "list": ("- a\n- b\n", "holds a list, not keys with values; allowed keys: title"),
    "text": ("just words\n", "holds a text"),
    "broken": ("a: [1\nb: 2\n", "line 2: "),
    "tag": ("title: !!python/object/apply:os.system [echo]\n", "could not determine a constructor"),
    "twice": ("seed: 1\nseed: 2\n", 'line 2: "seed" is given twice'),
    "twice inside": ("models: {a: x, a: y}\n", '"a" is given twice'),
    "references": ("prompts: {a: &x [1], b: *x}\n", "line 1: write *x out; references are not read"),
    "two documents": ("seed: 1\n---\nseed: 2\n", "expected a single document"),
    "not text": (b"\xff\xfe\x00s", "is not UTF-8 text"),
    "nul": (b"title: a\x00b\n", "special characters are not allowed"),
    "deep": ("prompts: " + "[" * 1000 + "]" * 1000, "nested too deep"),
    "large": (b"#" * (MOST_BYTES + 1), "is larger than 1,000,000 bytes"),
    "long text": ("title: " + "x" * 200_000, 'a text in "title" is longer than 100,000 characters'),
    "many": ("prompts: [" + "a," * (MOST_ENTRIES + 1) + "]", '"prompts" has 10,001 entries'),
    "empty excuse": ("serving: {not applicable: ''}\nseed: {not applicable: }\n", '"seed" must be whole'),
}


@pytest.mark.wide(12)
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_record_is_one_line(tmp_path, name):
    text, says = BAD[name]
    with pytest.raises(InvalidInput) as caught:
        study_record(written(tmp_path, text))
    assert says in str(caught.value)
    assert str(caught.value).startswith("record: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_bomb_of_references_is_refused_before_it_grows(tmp_path):
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    with pytest.raises(InvalidInput, match="references are not read"):
        study_record(written(tmp_path, "\n".join(lines)))


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        study_record(tmp_path / "none.yaml")
    with pytest.raises(InvalidInput, match="Is a directory"):
        study_record(tmp_path)
    with pytest.raises(InvalidInput, match="record: expects a mapping or the path of a YAML file, got int"):
        study_record(3)


def test_an_empty_record_is_a_record():
    assert Record({}).says("seed") is None


FULL = {
    "prompts": {f"prompt-{i}": f"text {i}" for i in range(1, 6)},
    "system_prompt": "You judge.",
    "models": {f"judge-{name}": {"version": f"m-{name}", "provider": "X"} for name in "abc"},
    "dates": ["2026-10-01", "2026-10-03"],
    "temperature": 0,
    "top_p": 0.9,
    "replicates": 2,
    "parsing": "first number",
    "prompt_variants": "rewritten by two authors",
    "original_prompt": True,
    "quantization": "none",
    "serving": "vendor API",
    "batch_size": 1,
    "items": "drawn from the public pool",
    "rationale": "half-width .4 was enough",
    "human_validation": "50 items by two people",
    "seed": 11,
}


def status(items) -> dict[str, str]:
    return {one.name: one.status for one in items}


def text(items, name: str) -> str:
    return next(one.text for one in items if one.name.startswith(name))


@pytest.mark.wide(4)
def test_every_item_of_the_tables_tiers_is_there(analysis):
    found = checklist(analysis)
    tiers = [one.tier for one in found]
    assert [tiers.count(tier) for tier in ("minimum", "standard", "comprehensive", "further")] == [6, 3, 3, 4]
    assert all(one.text and one.status in (REPORTED, MISSING, NOT_APPLICABLE) for one in found)
    assert {key for one in found for key in one.keys} <= KEYS.keys()


def test_without_a_record_only_what_the_data_show_is_reported(demo):
    reported = [one.name for one in checklist(demo) if one.status == REPORTED]
    assert reported == [
        *("judgments per cell", "sensitivity to wording", "variance components", "projected precision"),
        "missing judgments",
    ]
    assert text(checklist(demo), "missing judgments").startswith("27 of 1,800 rows")


def test_a_full_record_leaves_nothing_missing(demo):
    found = checklist(demo, FULL)
    assert not missing(found)
    assert "judge-a: version m-a, provider X" in text(found, "judges")
    assert "judged 2026-10-01 to 2026-10-03" in text(found, "judges")
    assert text(found, "temperature") == "0"
    assert text(found, "top-p") == "top-p 0.9"
    assert "with the system prompt" in text(found, "exact prompt")


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("exact prompt", {"prompts": {"prompt-1": "x"}}, "nothing recorded for prompt-2, prompt-3, prompt-4, prompt-5"),
        ("exact prompt", {"prompts": ["x", "y"]}, "2 recorded, the data have 5"),
        ("judges", {"models": {"judge-a": "m"}}, "nothing recorded for judge-b, judge-c"),
        ("judges", {"dates": None}, 'write under "dates"'),
        ("judgments per cell", {"replicates": 5}, "the record says 5, the data have up to 2"),
        ("how models", {"serving": None}, 'write under "serving"'),
        ("prompt variants", {"original_prompt": None}, '5 variants; write under "original_prompt"'),
    ],
)
def test_what_a_record_leaves_out_or_contradicts_is_missing(demo, name, change, says):
    found = checklist(demo, {**FULL, **change})
    assert [one.name.startswith(name) for one in missing(found)] == [True]
    assert says in text(found, name)


def test_what_does_not_apply_says_why(demo):
    found = checklist(demo, {**FULL, "temperature": {"not applicable": "people judged"}})
    assert status(found)["temperature"] == NOT_APPLICABLE
    assert text(found, "temperature") == "people judged"


@pytest.mark.slow
def test_one_prompt_shows_nothing_of_wording(table):
    found = checklist(analyze_judgments(q.read(table(prompts=1), announce=False)))
    assert status(found)["sensitivity to wording"] == MISSING
    assert "one prompt was used" in text(found, "prompt variants")


def test_wording_without_visible_effect_is_not_proof_of_none(table):
    frame = table(items=20, prompts=3, judges=2).with_columns(
        score=pl.col("score").mean().over("item", "judge", "replicate")
    )
    frame = frame.with_columns(score=pl.col("score") + pl.Series(range(len(frame))) % 7 * 0.01)
    said = text(checklist(analyze_judgments(q.read(frame, announce=False))), "sensitivity")
    assert "not proof of none" in said or "differ by a standard deviation of 0.0" in said


def test_temperatures_in_the_data_are_reported(table):
    frame = table(judges=2).with_columns(temperature=(pl.col("replicate") * 0.5))
    found = checklist(analyze_judgments(q.read(frame.drop("replicate"), announce=False)))
    assert "0 and 0.5, in the data" in text(found, "temperature")
    assert status(found)["top-p and top-k"] == MISSING
    assert 'write under "top_p"' in text(found, "top-p")


def test_hostile_labels_are_one_line(shape):
    assert all("\n" not in one.text and "\u202e" not in one.text for one in checklist(shape("hostile labels")))


def test_a_long_record_is_cut_in_the_list(demo):
    assert len(text(checklist(demo, {**FULL, "rationale": "x" * 5000}), "why this")) == 400
