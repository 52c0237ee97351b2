"""Appraise: scores of segments, without checks of who judged and whole documents."""

from __future__ import annotations

import pytest

import quorate as q
from quorate.errors import InvalidData

LINES = [
    f"judge{j},{system},{segment},{kind},eng,ces,{60 + 5 * segment + j},n-{document},{entire},1740000000.0,1740000038"
    for document in (1, 2)
    for segment in range(4)
    for j, system in enumerate(("ONLINE-B", "CUNI"))
    for kind, entire in [("TGT", "False")] + [("BAD", "False")] * (segment == 1) + [("TGT", "True")] * (segment == 3)
]


def test_segments_are_those_of_their_documents(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(LINES) + "\n")
    table = q.read(path, announce=False)
    assert {facet.name: len(facet.levels) for facet in table.facets} == {"item": 8, "judge": 2, "system": 2}
    assert table.mean.mean() == pytest.approx(60 + 5 * 1.5 + 0.5)
    notes = [str(note) for note in table.notes]
    assert notes[1:3] == ["4 checks of who judged left out", "4 documents scored as a whole left out"]
    path.write_text("\n".join([*LINES, "judge1,CUNI,7,TGT"]) + "\n")
    with pytest.raises(InvalidData, match="line 25 has 4 values"):
        q.read(path, announce=False)
