import json

import pytest

from quorate.cli.options.designs import components_from
from quorate.errors import InvalidInput

GOOD = {"random": {"item": 0.01, "item:judge": 2}, "sensitivity": {"judge": 0.0005}}


def test_components_are_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text("\ufeff" + json.dumps(GOOD), encoding="utf-8")
    found = components_from(path)
    assert found.random == {"item": 0.01, "item:judge": 2.0}
    assert found.sensitivity == {"judge": 0.0005}


def test_nesting_is_read(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"random": {"item": 1.0, "response": 2.0}, "nested": {"response": "item"}}))
    assert components_from(path).above == {"response": ("item",)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[1]", "expects components such as"),
        (b"{}", "expects components such as"),
        (b'{"random": {"item": 1}, "fixed": {}}', "expects components such as"),
        (b'{"random": 3}', '"random" must map terms to variances'),
        (b'{"random": {"item": 1}, "nested": []}', '"nested" must map facets to facets'),
        (b'{"random": {"item": 1}, "sensitivity": []}', '"sensitivity" must map terms to variances'),
        (b'{"random": {}}', "at least one random term"),
        (b'{"random": {"item": -1}}', '"item" must be a finite variance'),
        (b'{"random": {"item": "1"}}', '"item" must be a finite variance'),
        (b'{"random": {"item": NaN}}', '"item" must be a finite variance'),
        (b'{"random": {"item": 1' + b"0" * 400 + b"}}", '"item" must be a finite variance'),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(run, tmp_path, content, says):
    path = tmp_path / "c.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as raised:
        components_from(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert says in str(raised.value)
    ran = run("plan", "--design", path, "--items", 10)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)


def test_a_file_that_is_not_there(run):
    ran = run("plan", "--design", "none.json", "--items", 10)
    assert (ran.code, ran.err) == (1, "quorate: none.json: cannot be read (No such file or directory)\n")
