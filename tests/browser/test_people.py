"""People at work in a real browser, with keys alone, while servers die and connections break."""

from __future__ import annotations

import json
from collections import Counter

import quorate as q


def test_two_people_and_a_model_finish_a_study_though_its_server_is_killed(serve_pairs):
    recorded = "".join(f"item-{n},rule,{n % 2}\n" for n in range(1, 21))
    site = serve_pairs(
        20,
        judges={
            "ana": {"kind": "person", "price": 0.5},
            "ben": {"kind": "person", "price": 0.5},
            "rule": {"kind": "replay", "table": "recorded.csv"},
        },
        budget={"calls": 200, "money": 100},
        files={"recorded.csv": f"item,judge,score\n{recorded}"},
    )
    run = site.run()
    ana, ben = site.tab("ana"), site.tab("ben")
    ways = ("1", "ArrowRight", "t", "2", "ArrowLeft", "s")
    asked = {ana: Counter(), ben: Counter()}
    for turn in range(19):
        for person in (ana, ben):
            task = person.task
            asked[person][task] += 1
            if turn == 10 and person is ben:
                site.kill()
                person.press("2")
                person.says("Not saved yet: no connection")
                site.start()
            else:
                person.press(ways[turn % len(ways)])
            person.moved(task)
    for person in (ana, ben):
        last = person.task
        asked[person][last] += 1
        person.press("u")
        person.moved(last)
        assert person.title == "Question 19 of 20"
        asked[person][person.task] += 1
        for key in ("1", "Tab", "Tab", "t"):
            task = person.task
            person.press(key)
            if key != "Tab":
                person.moved(task)
        assert person.title == "All answered"
    assert run.wait(60) in {0, 2}, site.log  # 2: people are still at it
    assert {count for person in asked.values() for count in person.values()} == {1}, "nobody is asked twice"
    assert [len(person) for person in asked.values()] == [21, 21], "twenty, and one again that was taken back"
    site.once(undone=2)
    assert q.status(site.path).complete
    votes = q.read_votes(site.database, announce=False)
    assert Counter(votes.facet("judge").levels) == Counter(["ana", "ben", "rule"])


def test_reload_double_click_and_two_tabs(serve_pairs):
    site = serve_pairs(4)
    one, two = site.tab("ana"), site.tab("ana")
    first = one.task
    assert two.task == first
    one.reload()
    assert one.task == first, "a reload asks the same"
    one.click(selector="[data-key='1']", times=2)
    one.moved(first)
    second = one.task
    two.press("2")
    two.moved(first)
    assert two.task == second, "the other tab goes on where the first one is"
    for _ in range(6):
        one.press("1")  # in a hurry: what is pressed before the next question can have been read is not its answer
    one.moved(second)
    assert one.title == "Question 3 of 4"
    third = one.task
    one.reload()
    assert one.task == third
    one.reload()
    one.press("u", "u")
    one.moved(third)
    assert one.title == "Question 2 of 4", "one step back"
    two.reload()
    for _ in range(3):
        task = two.task
        two.press("t")
        two.moved(task)
    assert two.title == "All answered"
    one.reload()
    assert one.title == "All answered"
    site.once(undone=1)
    (score,) = site.rows("SELECT score FROM attempts WHERE id = 1")[0]
    assert score in {0.0, 1.0}
    assert one.noted() is not None


def test_a_lost_connection_is_waited_out(serve_pairs):
    site = serve_pairs(4)
    ana = site.tab("ana")
    first = ana.task
    ana.offline(True)
    ana.press("1")
    ana.says("Not saved yet: no connection")
    ana.press("2", "t", "s", "u")
    assert ana.task == first
    ana.offline(False)
    ana.moved(first)
    ana.lose(url="**/answer", times=2)
    second = ana.task
    ana.press("2")
    ana.moved(second)
    assert ana.title == "Question 3 of 4"
    ana.lose(url="**/answer", times=2)
    third = ana.task
    ana.press("u")
    ana.moved(third)
    assert ana.title == "Question 2 of 4", "taken back once, though it was sent three times"
    for _ in range(3):
        task = ana.task
        ana.press("1")
        ana.moved(task)
    assert ana.title == "All answered"
    site.once(undone=1)


def test_a_comment_is_written_and_kept_with_keys_alone(serve_pairs):
    site = serve_pairs(2)
    ana = site.tab("ana")
    first = ana.task
    for _ in range(12):
        ana.press("Tab")
        if ana.read(script="document.activeElement.id") == "comment":
            break
    ana.type(text="s1 t: stale")
    assert ana.task == first, "letters of a comment answer nothing"
    ana.press("Escape", "1")
    ana.moved(first)
    assert ana.read(script="document.getElementById('comment').value") == ""
    assert ana.read(script="document.activeElement.id") == "main", "a screen reader starts at the new question"
    ((text,),) = site.rows("SELECT text FROM attempts")
    assert json.loads(text)["comment"] == "s1 t: stale"
