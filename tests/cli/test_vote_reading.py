from __future__ import annotations

import pytest

from quorate.cli.vote_reading import votes
from quorate.errors import InvalidInput


@pytest.fixture
def path(tmp_path):
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,winner,who,w\n" + "x,y,1,a,2\nx,y,2,b,1\n")
    return out


def read(path, *, wins=None, outcomes=None, roles=None, status=None):
    return votes(path, "model_a", "model_b", "winner", wins, outcomes, roles, status)


def test_roles_are_given_by_column(path):
    found = read(path, roles=["judge=who", "count=w"])
    assert found.n == 3
    assert found.facet("judge").levels == ("a", "b")


def test_labels_of_one_meaning_add_up(path):
    found = read(path, outcomes=["a=1", "tie=2"])
    assert (found.n_decisive, found.tie_share) == (1, 0.5)
    assert read(path, outcomes=["missing=1", "missing=2"]).n == 0


def test_a_pair_without_a_value_is_refused(path):
    with pytest.raises(InvalidInput, match="--role: expects a pair"):
        read(path, roles=["judge"])
    with pytest.raises(InvalidInput, match="--outcome: expects a pair"):
        read(path, outcomes=["tie"])
