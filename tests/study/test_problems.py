import pytest

from quorate.errors import InvalidInput
from quorate.study.problems import first_problem, parsed

BAD = {
    "items: [": "is not YAML: line 1",
    "a: 1\nb: 2\na: 3\n": 'is not YAML: line 3: "a" is given twice',
    "a: &x [1]\nb: *x\n": "aliases",
    "- a\n": "holds no settings",
    "": "holds no settings",
    "just words": "holds no settings",
    "a: !!python/object/apply:os.getcwd []\n": "is not YAML: line 1: could not determine a constructor",
    "[" * 3000: "is not YAML",
    "? [a]\n: 1\n": "is not YAML",
    "a: 1\nb: 0100\n": "line 2: 0100 is another number in YAML",
    "a: 1:30\n": "line 1: 1:30 is another number in YAML",
    "007: 1\n": "line 1: 007 is another number in YAML",
    "budget:\n  <<: {calls: 9}\n": 'line 2: "<<" is not used here',
}


@pytest.mark.parametrize(("text", "said"), BAD.items(), ids=[said[:20] for said in BAD.values()])
def test_what_is_no_study_is_one_line(tmp_path, text, said):
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as error:
        parsed(path)
    assert said in str(error.value)
    assert str(error.value).isprintable()


def test_what_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot be read .No such file"):
        parsed(tmp_path / "none.yaml")
    with pytest.raises(InvalidInput, match="is a folder"):
        parsed(tmp_path)
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        parsed(tmp_path / "s.yaml")
    (tmp_path / "big.yaml").write_bytes(b"a" * (256 * 1024 + 1))
    with pytest.raises(InvalidInput, match="larger than 256 kB"):
        parsed(tmp_path / "big.yaml")


def test_numbers_are_what_they_look_like(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("{a: 100, b: 1e3, c: -1.5e-2, d: '0100', e: 0.5, f: 0, g: \"1:30\", h: 1:30 pm}")
    expected = {"a": 100, "b": 1000.0, "c": -0.015, "d": "0100", "e": 0.5, "f": 0, "g": "1:30", "h": "1:30 pm"}
    assert parsed(path) == expected


def test_the_kind_of_a_judge_is_no_place_in_the_file():
    error = {"type": "missing", "loc": ("judges", "endpoint", "endpoint", "model"), "msg": "", "input": {}}
    assert first_problem([error], ("endpoint",)) == "judges.endpoint.model: is missing; give it"
