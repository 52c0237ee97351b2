"""Label Studio: tasks of a study's cells, and exports of it that come back into the same cells."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

import quorate as q
from quorate.collect.judge import Expects
from quorate.errors import InvalidData, InvalidInput
from quorate.study.people import control, file_of

PAIRS = [
    {
        "id": f"q{n}",
        "prompt": f"Question {n}?",
        "response_a": f"alpha <b>{n}",
        "response_b": f"beta {n}",
        "a": "s",
        "b": "t",
    }
    for n in range(4)
]
VOTES = {
    "rows": PAIRS,
    "items": {"file": "items.jsonl", "system_a": "a", "system_b": "b"},
    "judges": {"ana": {"kind": "person"}, "b/c": {"kind": "person"}},
    "prompts": ["pairwise"],
    "order": "both",
}
RATINGS = {"judges": {"ana": {"kind": "person"}}}


def exported(tasks, say, *, kind="choices", key="choices", seconds=4.5):
    """An export of the form of the shared samples of Label Studio, of what somebody says of each task."""
    found = []
    for number, one in enumerate(tasks, 1):
        said = say(one["data"])
        result = [{"id": f"r{number}", "from_name": "answer", "to_name": "context", "type": kind, "value": {key: said}}]
        annotation = {
            "id": number,
            "completed_by": 1,
            "result": [] if said is None else result,
            "was_cancelled": said is None,
            "ground_truth": False,
            "lead_time": seconds,
            "prediction": {},
        }
        found.append({"id": number, "annotations": [annotation], "predictions": [], **one})
    return found


@pytest.fixture
def handed(study, tmp_path):
    """A function that writes a study, its tasks, and gives the study and the tasks of a person."""

    def made(content, name="ana.json"):
        path = study(**content)
        q.annotation_tasks(path, tmp_path / "tasks")
        return path, json.loads((tmp_path / "tasks" / name).read_text(encoding="utf-8"))

    return made


def taken(path, tmp_path, export):
    place = tmp_path / "export.json"
    place.write_text(json.dumps(export), encoding="utf-8")
    return q.take_annotations(path, place)


def test_tasks_are_blind_and_come_back_as_votes_with_sides_recoded(handed, tmp_path):
    path, tasks = handed(VOTES)
    assert len(tasks) == len({one["data"]["cell"] for one in tasks}) == 8  # both orders of four items
    assert not {"a", "b", "system_a", "system_b", "item", "order"} & set(tasks[0]["data"])
    firsts = [one["data"]["first"].split()[0] for one in tasks]
    assert sorted(firsts) == ["alpha"] * 4 + ["beta"] * 4
    prefers_alpha = exported(tasks, lambda data: ["A" if data["first"].startswith("alpha") else "B"])
    found = taken(path, tmp_path, prefers_alpha)
    assert (found.recorded, found.skipped, found.known) == (8, 0, 0)
    votes = q.read_votes(tmp_path / "study.db", announce=False)
    assert (votes.wins("s", "t"), votes.wins("t", "s"), votes.facet("judge").levels) == (8, 0, ("ana",))
    assert sorted(votes.order.tolist()) == [0] * 4 + [1] * 4
    again = taken(path, tmp_path, prefers_alpha)
    assert (again.recorded, again.known) == (0, 8)
    assert q.annotation_tasks(path, tmp_path / "rest").tasks == {"ana.json": 0, file_of("b/c"): 8}


def test_ratings_skips_and_how_long_they_took(handed, tmp_path):
    path, tasks = handed(RATINGS)
    said = {one["data"]["cell"]: value for one, value in zip(tasks, (7, None, 3), strict=True)}
    found = taken(path, tmp_path, exported(tasks, lambda data: said[data["cell"]], kind="rating", key="rating"))
    assert found.sentence == "Took 3 answers, 1 of them skipped."
    table = q.read(tmp_path / "study.db", announce=False)
    assert (table.n_answers, table.mean[table.n > 0].sum()) == (2, 10.0)
    assert int(table.status["refused"].sum()) == 1
    (judge,) = q.status(path).judges
    assert (judge.done, judge.given_up) == (2, 1)


def test_what_is_no_answer_of_the_study_is_counted_or_refused(handed, tmp_path, shared):
    path, tasks = handed(RATINGS)
    other = exported([{"data": {"cell": "x", "seat": "ana"}}], lambda _: 3, kind="rating", key="rating")
    nothing = exported(tasks[:1], lambda _: 3, kind="rating", key="rating")
    nothing[0]["annotations"][0]["result"] = []
    with pytest.raises(InvalidData, match=r"export.json: Took 0 answers. Left out: 1 that say nothing and 1 of other"):
        taken(path, tmp_path, other + nothing)
    with pytest.raises(InvalidInput, match="must be a whole number from 1 to 10"):
        taken(path, tmp_path, exported(tasks, lambda _: 11, kind="rating", key="rating"))
    assert q.status(path).finished == 0
    with pytest.raises(InvalidData, match="no list of tasks"):
        taken(path, tmp_path, {})
    with pytest.raises(InvalidData, match=r"Took 0 answers. Left out: [1-9]+ of other tasks"):
        q.take_annotations(path, shared / "data" / "formats" / "label-studio" / "pairs.json")
    found = taken(path, tmp_path, exported(tasks[:1], lambda _: 3, kind="rating", key="rating") + other)
    assert (found.recorded, found.strange) == (1, 1)


def test_flat_exports_come_back_too(handed, tmp_path):
    path, tasks = handed(VOTES)
    rows = [
        {**one["data"], "id": n, "answer": "tie", "annotator": 1, "annotation_id": n} for n, one in enumerate(tasks)
    ]
    assert taken(path, tmp_path, rows).recorded == 8
    assert q.read_votes(tmp_path / "study.db", announce=False).tie_share == 1


def test_the_interface_holds_every_answer(handed, tmp_path):
    handed(VOTES)
    root = ET.parse(tmp_path / "tasks" / "config.xml").getroot()
    assert [one.get("value") for one in root.iter("Choice")] == ["A", "tie", "B"]
    assert {one.get("name") for one in root.iter("Text")} == {"context", "first", "second"}
    assert root.find("Choices").get("toName") == "context"
    assert ET.fromstring(control(Expects(1, 10))).get("maxRating") == "10"
    assert ET.fromstring(control(Expects(0, 100))).attrib["max"] == "100"
    hostile = ET.fromstring(control(Expects(0, 1, labels={'"><x': 1, "no": 0})))
    assert [one.get("value") for one in hostile] == ['"><x', "no"]


def test_a_study_of_models_has_no_tasks(study, tmp_path):
    with pytest.raises(InvalidInput, match="nobody is a person"):
        q.annotation_tasks(study(), tmp_path / "tasks")


def test_no_two_people_have_one_file():
    names = [
        "ana",
        "Ana",
        "ANA",
        "a/b",
        "a?b",
        "a_b",
        "a_b ",
        " a_b",
        "",
        "/",
        ".",
        "..",
        "x" * 300,
        "x" * 301,
        "e\u0301",
        "é",
    ]
    files = [file_of(name) for name in names]
    assert file_of("ana") == "ana.json"
    assert len({name.casefold() for name in files}) == len(names)
    assert all(len(name) < 120 and "/" not in name and "?" not in name for name in files)
