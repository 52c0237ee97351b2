"""Seats of people: one cell at a time, in an order of their own, on both databases."""

from __future__ import annotations

import math

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.seats import OWNER, Links, Seats, hashed

MANY = Budget(calls=100)
GOOD = Reply("ok", 7.0, "7", cost=0.5)


@pytest.fixture
def seats(planned, clock):
    """The seats of two people with six cells each, three items twice."""
    ledger = planned(3, ("ana", "ben"), 2, prices={"ana": 0.5, "ben": 0.5}, clock=clock)
    made = Seats(ledger)
    for name in ("ana", "ben"):
        assert made.arrange(name, 1, spread="item") == 6
    return made


def answered(seats, name, reply=GOOD):
    shown = seats.show(name, 60, MANY)
    return shown, seats.answer(shown, reply, MANY)


def test_everybody_has_an_order_of_their_own(seats):
    assert seats.arrange("ana", 1, spread="item") == 0
    order = {name: [answered(seats, name)[0] for _ in range(6)] for name in ("ana", "ben")}
    labels = {name: [cell.levels["item"] for cell in cells] for name, cells in order.items()}
    assert labels["ana"] != labels["ben"]
    for cells in order.values():
        assert [cell.replicate for cell in cells] == [1, 1, 1, 2, 2, 2]
        assert len({cell.id for cell in cells}) == 6
        assert len({cell.levels["item"] for cell in cells[:3]}) == 3
    assert seats.show("ana", 60, MANY) is None
    assert seats.left("ana") == 0


def test_one_cell_is_shown_until_its_time_is_over(seats, clock):
    first = seats.show("ana", 60, MANY)
    clock.now += 59
    again = seats.show("ana", 60, MANY)
    assert again == first
    clock.now += 2
    later = seats.show("ana", 60, MANY)
    assert later.id == first.id
    assert seats.ledger.spend().reserved == 1


def test_an_answer_counts_once(seats):
    cell, new = answered(seats, "ana")
    assert new
    assert not seats.answer(cell, GOOD, MANY)
    spend = seats.ledger.spend()
    assert (spend.calls, spend.money, spend.reserved) == (1, 0.5, 0)
    assert seats.find("ben", cell.key) is None
    assert seats.find("ana", cell.key).asked == 1


def test_a_late_answer_counts_while_there_is_room(seats, clock):
    late = seats.show("ana", 60, MANY)
    clock.now += 61
    assert seats.ledger.expire() == 1
    assert not seats.answer(late, GOOD, Budget(calls=0))
    runner = seats.ledger.enlist(60)
    other = seats.ledger.lease(runner, "ana", 1, MANY)
    assert [cell.id for cell in other] == [late.id]
    assert not seats.answer(late, GOOD, MANY), "another one has it"
    seats.ledger.release(runner, other)
    assert seats.answer(late, GOOD, MANY)


def test_the_time_of_an_answer_is_known_or_none(seats, clock):
    first = seats.show("ana", 60, MANY)
    clock.now += 20
    seats.answer(first, GOOD, MANY)
    late = seats.show("ana", 60, MANY)
    clock.now += 61
    seats.ledger.expire()
    runner = seats.ledger.enlist(60)
    seats.ledger.lease(runner, "ana", 1, MANY)  # so that another one is shown
    seats.show("ana", 60, MANY)
    seats.ledger.release(runner, [late])
    seats.answer(late, GOOD, MANY)
    times = [row[0] for row in seats.ledger.store.connection.execute("SELECT latency FROM attempts ORDER BY id")]
    assert times[0] == 20
    assert times[1] is None or math.isnan(times[1])


def test_answers_are_taken_back_one_by_one(seats, clock):
    first, _ = answered(seats, "ana")
    second, _ = answered(seats, "ana", Reply("refused", text="", cost=0.5))
    shown = seats.show("ana", 60, MANY)
    assert seats.undo("ana", 60, before=shown.key)
    assert seats.show("ana", 60, MANY).id == second.id
    for sent_again in (shown.key, ""):
        assert not seats.undo("ana", 60, before=sent_again)
    assert seats.undo("ana", 60, before=second.key)
    back = seats.show("ana", 60, MANY)
    assert (back.id, back.asked) == (first.id, 1)
    assert not seats.undo("ana", 60, before=back.key)
    assert seats.left("ana") == 6
    assert seats.answer(back, GOOD, MANY)
    assert not seats.answer(shown, GOOD, Budget(calls=0)), "it went back, and the budget has no room"
    clock.now += 61
    assert seats.latest("ana", 60) is None
    assert seats.ledger.spend().reserved == 0


def test_a_closed_seat_shows_and_takes_nothing(seats):
    cell = seats.show("ana", 60, MANY)
    seats.close("ana")
    assert seats.is_closed("ana")
    assert seats.show("ana", 60, MANY) is None
    assert not seats.answer(cell, GOOD, MANY)
    assert not seats.undo("ana", 60, before=cell.key)
    assert not seats.is_closed("ben")
    seats.open("ana")
    assert seats.answer(cell, GOOD, MANY)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_nothing_looks_through_all_cells(seats):
    """A ledger may have a million of them."""
    connection, said = seats.ledger.store.connection, []
    connection.set_trace_callback(said.append)
    cell, _ = answered(seats, "ana")
    seats.show("ana", 60, MANY)
    seats.undo("ana", 60, before=seats.show("ana", 60, MANY).key)
    seats.find("ana", cell.key)
    seats.left("ana")
    seats.pace("ana")
    connection.set_trace_callback(None)
    asked = {one for one in said if one.startswith(("SELECT", "UPDATE")) and ("cells" in one or "attempts" in one)}
    plans = {one: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {one}")] for one in asked}
    scans = {
        one: plan for one, plan in plans.items() if any(step in ("SCAN c", "SCAN cells", "SCAN a") for step in plan)
    }
    assert not scans
    assert len(asked) > 8


def test_links(planned):
    ledger = planned(1)
    links = Links(ledger)
    words = links.make([OWNER, "ana"])
    assert {name: links.whose(hashed(word)) for name, word in words.items()} == {OWNER: OWNER, "ana": "ana"}
    assert links.held() == {OWNER, "ana"}
    assert links.whose(words["ana"]) is None
    assert links.whose(hashed("")) is None
    new = Links(ledger).make(["ana"])
    assert links.whose(hashed(words["ana"])) is None
    assert links.whose(hashed(new["ana"])) == "ana"
    assert links.whose(hashed(words[OWNER])) == OWNER
