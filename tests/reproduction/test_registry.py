from __future__ import annotations

import pytest

from quorate.errors import InvalidInput
from quorate.reproduction.reproduce import STUDIES, by_id, chosen


def test_studies_by_name_or_by_paper():
    assert chosen(()) == STUDIES
    assert [one.id for one in chosen(["cyclic", "tee.safety"])] == [
        *("tee.safety", "cyclic.table1", "cyclic.table2", "cyclic.f", "cyclic.fig2")
    ]
    assert all(one.id.startswith("mc.") for one in chosen(["mc"]))
    assert by_id("lee.tables").title
    assert len({one.id for one in STUDIES}) == len(STUDIES)


def test_an_unknown_study_is_refused_with_the_known_ones():
    with pytest.raises(
        InvalidInput, match=r'no study "tee.unsafe"; there are "tee.safety", .*did you mean "tee.safety"'
    ):
        chosen(["tee.unsafe"])
