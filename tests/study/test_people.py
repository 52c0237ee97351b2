"""People as judges: what they are asked, and what becomes of their answers."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

import quorate as q
from quorate.collect.judge import Expects
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import Seats
from quorate.errors import InvalidData, InvalidInput
from quorate.study.file import load
from quorate.study.judges import digests
from quorate.study.loop import carry_out, plan
from quorate.study.people import People, control, file_of
from quorate.study.questions import questions


@pytest.fixture
def people(study):
    asked = questions(load(study(judges={"raters": {"kind": "people", "seats": 2, "price": 0.2}})))
    with Ledger.open(asked.study.database) as ledger:
        plan(ledger, asked)
        made = People(ledger, asked)
        made.arrange()
        yield made


def test_somebody_answers_everything(people):
    for done in range(3):
        standing = people.standing("raters 1")
        assert (standing.done, standing.total, standing.undoable, standing.closed) == (done, 3, done > 0, False)
        assert people.answer("raters 1", standing.task.key, standing.task.shown, str(done + 1))
    assert people.standing("raters 1").task is None
    (first, second) = people.ledger.status()
    assert (first.judge, first.done, first.money, second.done) == ("raters 1", 3, pytest.approx(0.6), 0)


def test_what_is_no_answer_is_refused(people):
    task = people.standing("raters 1").task
    for word in ("11", "2.5", "nan", "inf", "good", ""):
        with pytest.raises(InvalidInput, match="answer: must be a whole number from 1 to 10"):
            people.answer("raters 1", task.key, task.shown, word)
    with pytest.raises(InvalidInput, match="raters 2 has no such question"):
        people.answer("raters 2", task.key, task.shown, "7")
    with pytest.raises(InvalidInput, match="nobody has no such question"):
        people.answer("nobody", task.key, task.shown, "7")


def test_somebody_without_questions(people):
    standing = people.standing("nobody")
    assert (standing.task, standing.total) == (None, 0)
    assert not people.undo("nobody", "")


MIXED = {"rule": {"kind": "python"}, "ana": {"kind": "person", "price": 0.2}}


def test_a_run_leaves_the_cells_of_people(study, capsys):
    path = study(judges=MIXED, budget={"calls": 100, "money": 10}, prompts=["score"])
    with pytest.raises(InvalidInput, match=r"judges\.rule: price is missing"):
        q.run(path, judges={"rule": lambda _: 7})
    path = study(judges=MIXED)
    judged = q.run(path, judges={"rule": lambda _: 7})
    assert int(judged.n.sum()) == 3
    said = capsys.readouterr().err
    assert "3 cells finished: every cell of a program is answered or given up" in said
    assert "3 wait for people, who are asked by quorate serve" in said
    status = q.status(path)
    assert not status.complete
    assert status.sentence == "3 of 6 cells are finished; 3 wait for people, who are asked by quorate serve."
    again = carry_out(load(path))
    assert (again.quote.cells, again.quote.people, again.quote.money.expected) == (3, 3, pytest.approx(0.6))
    assert again.outcome.people == 3
    assert again.to_dict()["outcome"]["people"] == 3
    with Ledger.open(status.ledger) as ledger:
        Seats(ledger).close("ana")
    assert q.status(path).closed == ("ana",)


def test_a_study_of_people_alone_is_planned_and_not_asked(study):
    path = study(judges={"ana": {"kind": "person"}})
    with pytest.raises(InvalidInput, match="holds no answers: every cell of a program is answered"):
        q.run(path)
    assert q.status(path).cells == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judges": {"ana": {"kind": "person"}}, "temperatures": [0]}, "judges.ana: people have no temperature"),
        ({"judges": {"ana": {"kind": "person"}}, "adaptive": {"name": "robin-hood"}}, "judges.ana: a policy waits"),
        ({"judges": {"r": {"kind": "people"}}}, "judges.r.seats: is missing"),
        ({"judges": {"r": {"kind": "people", "seats": 1}, "r 1": {"kind": "person"}}}, '"r 1" is the name of a seat'),
        ({"judges": {"ana": {"kind": "person", "price": {"call": 1}}}}, "judges.ana.price: must be a finite number"),
    ],
)
def test_what_people_cannot_be_asked_is_said(study, changes, message):
    with pytest.raises(InvalidInput) as error:
        load(study(**changes))
    assert message in str(error.value)


def test_words_for_people_belong_to_people_alone(study):
    """They may be changed until somebody was asked with them, and models do not notice."""
    path = study(judges=MIXED)
    q.run(path, judges={"rule": lambda _: 7})
    said = {"score": {"built_in": "score", "instructions": "How good is it?"}}
    changed = study(judges=MIXED, prompts=said)
    with pytest.raises(InvalidInput, match='judge "ana" changed'):
        q.run(changed, judges={"rule": lambda _: 7})
    assert set(digests(load(changed))) == {"rule", "ana"}


# Label Studio: tasks of a study's cells, and exports of it that come back into the same cells.


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
