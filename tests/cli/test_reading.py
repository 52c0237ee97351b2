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


def test_an_empty_column_is_a_pair_only_where_it_means_something():
    assert pairs("--facet", ["judge="], "judge=who", empty=True) == {"judge": ""}
    for value in ("judge", "=x"):
        with pytest.raises(InvalidInput, match=r"^--facet: expects a pair"):
            pairs("--facet", [value], "judge=who", empty=True)


def test_one_facet_leaves_the_others_recognised(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("item,grader_name,variant,status,score\n1,a,p,ok,3\n1,b,q,refused,0\n2,a,q,ok,5\n2,b,p,ok,4\n")
    found = judgments(path, "score", ["judge=grader_name"], "item", None, None, None, None)
    assert found.names == ("item", "prompt", "judge")
    assert found.n_answers == 3
    assert "prompt = column variant" in found.notes
    left = judgments(path, "score", ["judge=grader_name", "prompt="], "item", None, None, "", None)
    assert (left.names, left.n_answers) == (("item", "judge"), 4)
    assert "not used: variant, status" in left.notes


def test_without_options_columns_are_recognised(scores):
    found = judgments(scores, "score", None, "item", None, None, None, None)
    assert found.names == ("item", "prompt", "judge")
    assert [facet.name for facet in found.facets if facet.fixed] == ["judge"]
