from __future__ import annotations

import pytest

from quorate.errors import InvalidInput
from quorate.reporting.paper.record import KEYS, MOST_BYTES, Record, study_record


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
    "deep": ("prompts: " + "[" * 5000 + "]" * 5000, "nested too deep"),
    "large": (b"#" * (MOST_BYTES + 1), "is larger than 1,000,000 bytes"),
    "long text": ("title: " + "x" * 200_000, 'a text in "title" is longer than 100,000 characters'),
    "many": ("prompts: [" + "a," * 20_000 + "]", '"prompts" has 20,000 entries'),
    "empty excuse": ("serving: {not applicable: ''}\nseed: {not applicable: }\n", '"seed" must be whole'),
}


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
