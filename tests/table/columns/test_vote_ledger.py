import pytest
from ledgers import write_ledger

import quorate as q
from quorate.errors import InvalidData, InvalidInput

ROWS = [
    ("q1", "x", "y", "p", "j", "listed", 1, 1.0, "ok"),
    ("q1", "x", "y", "p", "j", "swapped", 1, 0.0, "ok"),
    ("q2", "y", "x", "p", "j", "listed", 1, 0.5, "ok"),
    ("q2", "y", "x", "p", "j", "swapped", 1, None, "refused"),
]
NAMES = ("item", "system_a", "system_b", "prompt", "judge", "order", "replicate", "score", "status")


@pytest.fixture
def ledger(tmp_path):
    """A function that makes a ledger of these rows."""
    return lambda rows=ROWS, names=NAMES: write_ledger(tmp_path / "pairs.db", names, rows)


def test_columns_of_a_ledger_are_what_votes_need(ledger):
    votes = q.read_votes(ledger(), announce=False)
    assert (votes.models, votes.wins("x", "y"), votes.wins("y", "x"), votes.totals[2]) == (("x", "y"), 1, 1, 1)
    assert votes.statuses == {"ok": 3, "refused": 1}
    assert votes.names == ("prompt", "judge", "variant", "replicate")
    assert votes.facet("prompt").levels == ("q1", "q2")
    assert votes.facet("variant").column == "prompt"
    assert [bool(one) for one in votes.order == 0] == [True, False, False, True]
    assert (votes.dated, votes.time.tolist()) == (True, [1e9] * 4)


def test_what_the_caller_declares_goes_first(ledger):
    path = ledger()
    votes = q.read_votes(path, prompt="prompt", judge="", facets={"item": "item"}, announce=False)
    assert (votes.names, votes.facet("prompt").levels) == (("prompt", "item", "replicate"), ("p",))
    columns = {"model_a": "system_a", "model_b": "system_b", "winner": "judge", "prompt": "item", "judge": ""}
    named = q.read_votes(path, **columns, outcomes={"tie": "j"}, announce=False)
    assert named.totals[2] == 3


def test_another_scale_is_read_as_the_caller_says(ledger):
    path = ledger([(*row[:7], score, "ok") for row, score in zip(ROWS, (7, 1, 4, 6), strict=True)])
    with pytest.raises(InvalidData, match=r'"score" has .*which outcomes does not cover'):
        q.read_votes(path, announce=False)
    votes = q.read_votes(path, outcomes={"a": [5, 6, 7], "tie": 4, "b": [1, 2, 3]}, announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x"), votes.tie_share) == (1, 2, 0.25)


def test_pairs_and_single_responses_in_one_ledger_are_refused(ledger):
    path = ledger([*ROWS, ("q3", "", "", "safety", "j", "listed", 1, 1.0, "ok")])
    with pytest.raises(InvalidData, match=r"both judgments of pairs and 1 \(of 5\) that name no two systems"):
        q.read_votes(path, announce=False)


def test_a_ledger_of_scores_has_no_votes(ledger):
    plain = [name for name in NAMES if not name.startswith("system")]
    path = ledger([(row[0], *row[3:]) for row in ROWS], plain)
    with pytest.raises(InvalidInput, match=r"does not name two systems: use quorate.read; .* items.system_a"):
        q.read_votes(path, announce=False)
    assert q.read(path, announce=False).n_answers == 3
