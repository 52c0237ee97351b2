"""Phoenix: its CSV is refused by name."""

from __future__ import annotations

import pytest
from logs import read

from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

TOLD = "is an evaluated frame of Phoenix, whose scores are dictionaries; write it with to_annotation_dataframe(frame)"


def test_the_line_says_how_to_write_it_and_how_to_read_that(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("id,strict_score,strict_execution_details\nq1,\"{'score': 1.0}\",\"{'status': 'COMPLETED'}\"\n")
    with pytest.raises(InvalidInput) as caught:
        read(path)
    assert TOLD in str(caught.value)
    assert in_options(caught.value.args[0]).endswith(
        "read that with --facet item=span_id --facet judge=annotation_name"
    )


def test_other_columns_of_scores_are_another_table(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("item,strict_score,other_execution_details,score\na,1,x,1\nb,2,y,2\n")
    assert read(path).n_answers == 2


def test_the_published_frame(shared):
    with pytest.raises(InvalidInput, match="evaluated frame of Phoenix"):
        read(shared / "data" / "formats" / "phoenix" / "evaluate_dataframe.csv")
