import pytest

from quorate.cli.options.declared import of
from quorate.cli.options.reading import Reading
from quorate.cli.options.systems import Within
from quorate.errors import UnknownTerm

RANK = of("quorate.estimate.ratings.rank:rank")


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,topic\nx,y,model_a,s\nx,y,model_b,t\n")
    return Reading(role=["prompt_type=topic"]).votes(path)


def test_systems_are_told_apart_by_a_facet_or_its_column(votes):
    assert Within().told_apart(votes) is votes
    assert set(Within(within="topic").told_apart(votes).models) == set(votes.within("prompt_type").models)
    with pytest.raises(UnknownTerm):
        Within(within="nowhere").told_apart(votes)


def test_columns_stand_for_roles_and_text_for_values(votes):
    assert RANK(cluster=["topic"]).arguments(votes) == {"cluster": ("prompt_type",)}
    assert RANK(cluster=["none"], by="topic").arguments(votes) == {"cluster": (), "by": "prompt_type"}
    assert RANK(targets=["judge=panel"]).arguments() == {"targets": {"judge": "panel"}}
    assert RANK(position=True, random=["item", "judge,item:judge"]).arguments() == {
        "position": True,
        "random": ("item", "judge", "item:judge"),
    }
    assert RANK().arguments() == {}
