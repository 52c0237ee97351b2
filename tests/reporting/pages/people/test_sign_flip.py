from __future__ import annotations

import quorate as q
from quorate.reporting.pages.people.regression import sign_flip_page


def test_the_page_has_both_chances():
    made = sign_flip_page(q.scores.sign_flip(0.2, 0.1, ratio=0.5))
    (figure,) = made.figures
    assert [round(row["chance"], 4) for row in figure.rows] == [0.0023, 0.0228]
    assert figure.caption.finding == "Errors of labels move the coefficient by 0.0707, one standard deviation"
    assert made.tiles[1].value == "2.3%"
