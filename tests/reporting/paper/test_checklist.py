from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.paper.record import KEYS, MISSING, NOT_APPLICABLE, REPORTED, checklist, missing

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


def test_every_item_of_the_tables_tiers_is_there(analysis):
    found = checklist(analysis)
    tiers = [one.tier for one in found]
    assert [tiers.count(tier) for tier in ("minimum", "standard", "comprehensive", "further")] == [6, 3, 3, 4]
    assert all(one.text and one.status in (REPORTED, MISSING, NOT_APPLICABLE) for one in found)
    assert {key for one in found for key in one.keys} <= KEYS.keys()


def test_without_a_record_only_what_the_data_show_is_reported(demo):
    reported = [one.name for one in checklist(demo) if one.status == REPORTED]
    assert reported == [
        "judgments per cell",
        "sensitivity to wording",
        "variance components",
        "projected precision",
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
