import pytest

from quorate.cli.reading import judgments, names, pairs
from quorate.errors import InvalidInput


def test_pairs_are_split_at_the_first_sign():
    assert pairs("--facet", ["judge=judge_model", " item = a=b "], "") == {"judge": "judge_model", "item": "a=b"}
    assert pairs("--facet", None, "") == {}


@pytest.mark.parametrize("value", ["judge", "=x", "judge=", ""])
def test_half_a_pair_is_an_error(value):
    with pytest.raises(InvalidInput, match=r"^--facet: expects a pair such as judge=who, got "):
        pairs("--facet", [value], "judge=who")


def test_a_role_given_twice_is_an_error():
    with pytest.raises(InvalidInput, match=r'^--facet: "judge" is given twice, as a and b; give it once$'):
        pairs("--facet", ["judge=a", "judge=b"], "")


@pytest.mark.parametrize(("text", "found"), [("", ()), ("a", ("a",)), (" a, b ,", ("a", "b"))])
def test_names_stand_between_commas(text, found):
    assert names(text) == found


def test_every_option_reaches_the_reader(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("q,who,group,points,state\n1,a,g,3,ok\n1,b,g,-,ok\n2,a,h,5,ok\n2,b,h,4,refused\n")
    found = judgments(path, "points", ["question=q", "judge=who"], "question", ["question=group"], "", "state", ["-"])
    assert found.names == ("question", "judge", "group")
    assert (found.object, found.facet("question").parent) == ("question", "group")
    assert not any(facet.fixed for facet in found.facets)
    assert {name: int(n.sum()) for name, n in found.status.items()} == {"ok": 2, "missing": 1, "refused": 1}


def test_without_options_columns_are_recognised(scores):
    found = judgments(scores, "score", None, "item", None, None, None, None)
    assert found.names == ("item", "prompt", "judge")
    assert [facet.name for facet in found.facets if facet.fixed] == ["judge"]
