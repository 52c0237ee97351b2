"""Lists of annotations by several kinds of people in every line."""

from __future__ import annotations

import pytest
from logs import json_lines, read

from quorate.errors import InvalidData, InvalidInput

NAMES = ("clear", "true")


def line(n, model, **changed):
    given = {
        kind: [{name: (n * size + k + at) % 5 for at, name in enumerate(NAMES)} for k in range(size)]
        for kind, size in (("expert_annotations", 3), ("crowd_annotations", 5))
    }
    return {"id": f"d{n}", "decoded": "so", "model_id": model, **given, "references": ["a", "b"], **changed}


@pytest.fixture
def write(tmp_path):
    def writer(*lines):
        path = tmp_path / "aligned.jsonl"
        path.write_text(json_lines(lines))
        return path

    return writer


def test_every_list_and_criterion_is_a_measure(write):
    path = write(*(line(n, model) for n in range(6) for model in ("x", "y")))
    with pytest.raises(InvalidInput, match=r"4 measures, .*expert_annotations clear \(36, 0 to 4\)"):
        read(path)
    table = read(path, part="crowd_annotations true")
    assert (table.n_answers, table.n_levels("item"), table.facet("system").levels) == (60, 6, ("x", "y"))
    wanted = [(n * 5 + k + 1) % 5 for n in range(6) for k in range(5)]
    assert float((table.mean * table.n).sum()) == 2 * sum(wanted)


def test_one_list_alone_is_a_table_of_its_entries(write):
    rows = [line(n, "x") for n in range(6)]
    for row in rows:
        del row["crowd_annotations"]
    with pytest.raises(InvalidData, match="no two lists hold annotations"):
        read(write(*rows), format="annotated")


def test_what_is_no_list_of_annotations_is_named(write):
    with pytest.raises(InvalidData, match="line 2: crowd_annotations is no list of annotations"):
        read(write(line(1, "x"), line(2, "x", crowd_annotations=[3, 4])), part="crowd_annotations true")
    with pytest.raises(InvalidData, match='line 2: crowd_annotations: true is "bad"; a number is needed'):
        read(write(line(1, "x"), line(2, "x", crowd_annotations=[{"true": "bad"}])), part="crowd_annotations true")
