import pytest
from tests.analysis.test_nominal import found, frame

import quorate as q
from quorate.errors import InvalidInput
from quorate.reporting.paper.nominal import paragraph


def test_one_paragraph_with_shares_alpha_and_sizes():
    text = paragraph(found())
    assert text.startswith("4 judges gave 160 labels of 3 kinds to 40 items. Shares of items by label (95% intervals")
    for said in (
        "Krippendorff's alpha is .",
        "Fleiss' kappa is .",
        "Gwet's AC1 is .",
        "count items and judges as sampled",
    ):
        assert said in text
    assert "\n" not in text


def test_writeup():
    written = q.writeup(found(), command="quorate report l.csv --labels")
    assert (written.paragraph, written.checklist) == (paragraph(found()), ())
    assert written.reproduction["labels"] == "fine, rude, spam"
    assert "Reporting checklist" not in written.to_markdown()
    table = q.read(frame(), score="verdict", labels=True, announce=False)
    assert q.writeup(table).paragraph == written.paragraph
    with pytest.raises(InvalidInput, match="no checklist"):
        q.writeup(found(), record={"seed": 1})


def test_one_judge_and_gaps():
    one = frame().filter(frame()["judge"] == "j0")
    table = q.read(one, score="verdict", labels=True, missing=("spam",), announce=False)
    text = paragraph(q.scores.labels(table))
    assert "1 judge gave" in text
    assert " rows had no label and were taken as missing at random" in text
    assert "nothing is known of agreement" in text
