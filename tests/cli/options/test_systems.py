import pytest

from quorate.cli.options.reading import Reading
from quorate.cli.options.systems import Systems
from quorate.errors import UnknownTerm


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,topic\nx,y,model_a,s\nx,y,model_b,t\n")
    return Reading(role=["prompt_type=topic"]).votes(path)


def test_systems_are_told_apart_by_a_facet_or_its_column(votes):
    assert Systems().told_apart(votes) is votes
    assert set(Systems(within="topic").told_apart(votes).models) == set(votes.within("prompt_type").models)
    assert Systems(cluster="topic").clusters(votes) == ("prompt_type",)
    assert Systems(cluster="none").clusters(votes) == ()
    assert Systems().clusters(votes) is None
    with pytest.raises(UnknownTerm):
        Systems(within="nowhere").told_apart(votes)


def test_targets_are_pairs():
    assert Systems().targets() is None
    assert Systems(target=["judge=panel"]).targets() == {"judge": "panel"}
