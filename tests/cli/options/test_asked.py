import pytest

from quorate.cli.options.reading import VoteReading
from quorate.cli.options.systems import Pair, check_facet
from quorate.errors import InvalidInput


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,prompt\nAnt,bee,model_a,p\nAnt,bee,model_b,q\n")
    return VoteReading().votes(path)


def test_two_systems_or_none(votes):
    assert Pair().systems is None
    assert Pair(a="Ant", b="bee").of(votes) is votes
    with pytest.raises(InvalidInput, match="--a, --b: give both systems, or neither"):
        Pair(a="Ant")


def test_a_name_that_is_written_otherwise_is_meant(votes):
    with pytest.raises(InvalidInput, match='--a: no system "ant"; did you mean "Ant"\\? there are "Ant", "bee"'):
        Pair(a="ant", b="bee").of(votes)


def test_a_facet_that_is_not_there_can_be_named(votes):
    check_facet(votes, "--cluster", "prompt")
    check_facet(votes, "--cluster", None)
    with pytest.raises(
        InvalidInput, match=r"--cluster: no facet .*which have prompt; name its column: --role judge=COLUMN"
    ):
        check_facet(votes, "--cluster", "judge")
