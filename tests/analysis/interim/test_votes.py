"""Votes so far."""

from under_way import voted

import quorate as q


def test_votes(tmp_path):
    found = q.interim(voted(tmp_path, calls=100))
    assert (found.kind, found.pair) == ("votes", ("amber", "basalt"))
    assert 0.7 < found.looks[-1].value < 1
    assert found.looks[-1].units == 100  # votes that facets make alike are looked at when there are 50, 100, 200
    assert found.agreement[0].measure == "same"
    assert found.sentence.startswith(
        "100 of 120 cells are finished. So far the share of votes for amber against basalt"
    )
    assert found.verdicts[0].startswith("Undecided between amber and basalt")
