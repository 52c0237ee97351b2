"""MQM: errors of translations, weighed as WMT weighs them."""

from __future__ import annotations

import pytest
from logs import read

from quorate.errors import InvalidData, InvalidInput

HEAD = "system\tdoc\tglobalSegId\trater\ttarget\tcategory\tseverity"
ERRORS = [
    ("x", "d1", 1, "r1", "No-error", "No-error"),
    ("x", "d1", 2, "r1", "Accuracy/Mistranslation", "Major"),
    ("x", "d1", 2, "r1", "Fluency/Punctuation", "Minor"),
    ("x", "d2", 3, "r2", "Style/Awkward", "minor"),
    ("y", "d1", 1, "r1", "Non-translation!", "Major"),
    ("y", "d1", 2, "r1", "Style/Awkward", "Neutral"),
    ("y", "d2", 3, "r2", "Fluency/Punctuation", "Major"),
]


@pytest.fixture
def write(tmp_path):
    def writer(*errors):
        path = tmp_path / "mqm_ende.tsv"
        lines = ["\t".join(map(str, [*one[:4], 'a "word <v>here</v>', *one[4:]])) for one in errors]
        path.write_text("\n".join([HEAD, *lines]) + "\n")
        return path

    return writer


def test_errors_of_a_translation_by_one_rater_are_one_score(write):
    """Weights as printed in the table of the published data: major 5, no translation 25, minor 1, punctuation .1."""
    table = read(write(*ERRORS))
    assert table.n_answers == 6
    assert table.only("system", "x").mean.tolist() == pytest.approx([0, -5.1, -1])
    assert table.only("system", "y").mean.tolist() == pytest.approx([-25, 0, -5])
    assert (table.facet("judge").levels, table.facet("item").parent) == (("r1", "r2"), "doc")


def test_what_has_no_weight_is_refused(write):
    with pytest.raises(InvalidData, match=r'line 9: severity "Critical" has no weight'):
        read(write(*ERRORS, ("x", "d2", 4, "r1", "Accuracy", "Critical")))
    with pytest.raises(InvalidData, match="line 2 has no rater"):
        read(write(("x", "d1", 1, "", "No-error", "No-error")))


def test_errors_alone_leave_out_what_had_none(write):
    with pytest.raises(InvalidInput, match="every row is an error by severity"):
        read(write(*[one for one in ERRORS if one[4] != "No-error"] * 4))
