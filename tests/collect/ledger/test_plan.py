import pytest

from quorate.collect.ledger import plan as ledger_plan
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import Dependency, cell_key, digest
from quorate.errors import InvalidInput
from quorate.planning.assign import assign
from quorate.table.cells import Cells
from quorate.table.exchange.postgres.session import Session

BASE = {"rubric": "r", "judge": "j", "item": "i", "order": "", "temperature": "0", "replicate": 1}


@pytest.mark.parametrize("name", BASE)
def test_whatever_is_asked_is_in_the_key(name):
    assert cell_key(**BASE) == cell_key(**BASE)
    assert cell_key(**BASE) != cell_key(**BASE | {name: 2 if name == "replicate" else "other"})


def test_a_digest_does_not_depend_on_the_order_of_keys():
    assert digest({"a": [1, "ä"], "b": None}) == digest({"b": None, "a": [1, "ä"]})
    assert digest(["a", "b"]) != digest(["b", "a"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (Dependency("rubric", "direct", "2"), 'prompt "direct" changed'),
        (Dependency("item", "q1", "2"), 'item "q1" changed'),
        (Dependency("judge", "a", "2"), 'judge "a" changed'),
    ],
)
def test_what_changed_is_named(planned, changed, said):
    ledger = planned(1)
    parts = [Dependency("rubric", "direct", "1"), Dependency("item", "q1", "1"), Dependency("judge", "a", "1")]
    ledger.declare(parts, seed=3)
    ledger.declare([*parts, Dependency("item", "q2", "1")], seed=3)
    with pytest.raises(InvalidInput, match=f"{said} since this ledger was planned; start a new ledger"):
        ledger.declare([Dependency("item", "q3", "1"), changed])
    ledger.declare([Dependency("item", "q3", "other")])  # nothing of a refused declaration stays


def test_several_changes_are_counted(planned):
    ledger = planned(1)
    ledger.declare([Dependency("item", f"q{n}", "1") for n in range(5)])
    with pytest.raises(InvalidInput, match=r'item "q0" \(and 4 more\) changed'):
        ledger.declare([Dependency("item", f"q{n}", "2") for n in range(5)])


def test_a_changed_seed_is_refused(planned):
    ledger = planned(1)
    ledger.declare([], seed=1)
    ledger.declare([])
    with pytest.raises(InvalidInput, match="the seed was 1 when this ledger was planned, now it is 2"):
        ledger.declare([], seed=2)


def test_a_cell_with_another_key_is_named(planned, cells):
    ledger = planned(3)
    made, keys = cells(3)
    with pytest.raises(InvalidInput, match=r"the cell \(item i1, judge a, replicate 1\) changed since"):
        ledger.plan(made, [keys[0], "other", keys[2]])
    assert ledger.status()[0].planned == 3


def test_a_key_of_another_cell_is_refused(planned, cells):
    ledger = planned(2)
    made, keys = cells(3)
    with pytest.raises(InvalidInput, match=r"\(item i2, judge a, replicate 1\) has the key of another cell"):
        ledger.plan(made.keep(made.column("item") == "i2"), [keys[0]])


def test_replicates_may_not_share_a_key(planned, cells):
    made, _ = cells(1, replicates=2)
    with pytest.raises(InvalidInput, match="2 cells have one key; every cell and every replicate needs its own"):
        planned(1).plan(made, ["same", "same"])


def test_a_cell_is_planned_once(planned, cells):
    made, _ = cells(1)
    twice = Cells(made.levels, made.codes.repeat(2, axis=0), made.replicate.repeat(2))
    with pytest.raises(InvalidInput, match=r"\(item i0, judge a, replicate 1\) is planned twice"):
        planned(2).plan(twice, ["x", "y"])


@pytest.mark.parametrize("count", [1, 3])
def test_every_cell_needs_a_key(planned, cells, count):
    with pytest.raises(InvalidInput, match="keys: one for each of the 2 cells is needed, got"):
        planned(1).plan(cells(2)[0], [f"k{n}" for n in range(count)])


def test_labels_may_come_in_any_order(planned, cells):
    ledger = planned(3)
    made, keys = cells(3)
    turned = Cells({"judge": ("z", "a"), "item": ("new", "i2", "i1", "i0")}, made.codes[:, ::-1].copy(), made.replicate)
    turned.codes[:, 0], turned.codes[:, 1] = 1, [3, 2, 1]
    assert ledger.plan(turned, keys) == 0
    assert [one.judge for one in ledger.status()] == ["a"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"item": ("x",), "prompt": ("p",)}, 'need the facet "judge"'),
        ({"judge": ("a",), "Item": ("p",), "item": ("p",)}, "differ in more than capitals"),
        ({"judge": ("a",), "Score": ("p",)}, '"Score" is a column of every ledger'),
        ({"judge": ("a",)} | {f"f{n}": ("x",) for n in range(8)}, "at most 8 facets, got 9"),
        ({"judge": ("a",), "ä" * 32: ("p",)}, "names of facets have at most 63 bytes"),
    ],
)
def test_facets_that_a_ledger_cannot_hold(place, cells, given, said):
    made = assign(items=["i"], judges=["a"], layout="factorial")
    with Ledger.open(place("a.db")) as ledger, pytest.raises(InvalidInput, match=said):
        ledger.plan(Cells(given, made.codes[:, :1].repeat(len(given), axis=1), made.replicate), ["k"])


def test_facets_stay_what_they_are(planned):
    other = assign(items=["i"], judges=["a"], prompts=["p"], layout="factorial")
    with pytest.raises(InvalidInput, match="the ledger has the facets item, judge, got item, prompt, judge"):
        planned(1).plan(other, ["k"])


def test_the_latest_price_counts_for_what_is_not_asked_yet(planned, cells):
    ledger = planned(2, prices={"a": 1.0})
    ledger.plan(*cells(2), {"a": 0.25})
    assert {price for (price,) in ledger._connection.execute("SELECT price FROM cells")} == {250_000_000}


def written(ledger):
    """All that planning writes."""
    every = ("cells", "labels", "facets", "parts", "study")
    return {name: ledger._connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in every}


def test_what_is_planned_already_is_looked_up_while_another_process_writes(planned, place, cells):
    ledger = planned(3, ("a", "b"))
    ledger.declare([Dependency("item", "q1", "1")], seed=3)
    with Ledger.open(place("study.db")) as other:
        other.begin()
        ledger.declare([Dependency("item", "q1", "1")], seed=3)
        assert ledger.plan(*cells(3, ("a", "b"))) == 0
        assert ledger.lacks(*cells(5, ("a", "b", "c"))) == {"a": 2, "b": 2, "c": 5}
        assert ledger.undeclared([Dependency("item", "q2", "1")])
        with pytest.raises(InvalidInput, match='item "q1" changed'):
            ledger.declare([Dependency("item", "q1", "2")])
        with pytest.raises(InvalidInput, match="changed since this ledger was planned"):
            ledger.plan(cells(3)[0], ["x", "y", "z"])
        other.undo()


def test_what_is_refused_or_looked_up_leaves_nothing_behind(planned, cells):
    ledger = planned(3)
    before = written(ledger)
    made, keys = cells(5, ("a", "new"))
    with pytest.raises(InvalidInput, match=r"the cell \(item i0, judge a, replicate 1\) changed"):
        ledger.plan(made, ["other", *keys[1:]])
    ledger.lacks(made, keys)
    assert written(ledger) == before


def test_cells_are_added_in_blocks_in_their_order_and_the_rest_after_an_interruption(planned, cells, monkeypatch):
    for block in ("_BLOCK", "_ALONE"):
        monkeypatch.setattr(f"quorate.collect.ledger.ledger.{block}", 3)
    ledger, add = planned(1), ledger_plan.add

    def interrupted(connection, draft, span):
        if span.start == 6:
            raise KeyboardInterrupt
        return add(connection, draft, span)

    monkeypatch.setattr(ledger_plan, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ledger.plan(*cells(10))
    assert ledger.status()[0].planned == 7
    monkeypatch.setattr(ledger_plan, "add", add)
    assert ledger.plan(*cells(10)) == 3
    keys = [key for (key,) in ledger._connection.execute("SELECT key FROM cells ORDER BY id")]
    assert keys == cells(10)[1]


def test_two_processes_plan_at_the_same_time(planned, place, cells, monkeypatch):
    ledger, compare = planned(1), ledger_plan.compare

    def overtaken(*arguments):
        draft = compare(*arguments)
        monkeypatch.setattr(ledger_plan, "compare", compare)
        with Ledger.open(place("study.db")) as other:
            assert other.plan(*cells(2, ("z", "a"))) == 3
        return draft

    monkeypatch.setattr(ledger_plan, "compare", overtaken)
    assert ledger.plan(*cells(4, ("a", "b"))) == 6
    assert {one.judge: one.planned for one in ledger.status()} == {"a": 4, "z": 2, "b": 4}
    assert ledger.plan(*cells(4, ("a", "b"))) == ledger.plan(*cells(2, ("z", "a"))) == 0


STEPS = ("undeclared", "declare", "compare", "admit", "add")


@pytest.mark.postgres
@pytest.mark.fault("the database server goes away")
@pytest.mark.parametrize("store", ["postgres"], indirect=True)
@pytest.mark.parametrize("moment", ["in", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_connection_that_is_lost_at_any_step_of_planning_changes_nothing(
    place, cells, monkeypatch, store, step, moment
):
    """In the transaction of a step, and after it, where a session would have forgotten what it was told."""
    made, keys = cells(10, ("a", "b"))
    parts = [Dependency("item", f"i{n}", str(n)) for n in range(10)]
    with Ledger.open(place("study.db")) as ledger:
        ledger.plan(*cells(4))
        function, begin, cut = getattr(ledger_plan, step), ledger.store.connection.begin, []

        def terminate():
            with Session(ledger.path) as killer:
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'quorate' AND pid <> pg_backend_pid()"
                )

        def lost(*arguments):
            found = function(*arguments)
            if not cut:
                cut.append(moment)
                if moment == "in":
                    terminate()
            return found

        def begun(sql):
            if cut == ["after"]:
                cut.append("done")
                terminate()
            return begin(sql)

        monkeypatch.setattr(ledger_plan, step, lost)
        monkeypatch.setattr(ledger.store.connection, "begin", begun)
        ledger.declare(parts, seed=3)
        ledger.plan(made, keys)
        assert not ledger.undeclared(parts, seed=3)
        assert ledger.lacks(made, keys) == {}
        read = ledger._connection.execute
        assert sorted(key for (key,) in read("SELECT key FROM cells")) == sorted(keys)
        assert {judge.judge: judge.planned for judge in ledger.status()} == {"a": 10, "b": 10}
        ((left,),) = read("SELECT count(*) FROM pg_class WHERE relpersistence = 't'").fetchall()
        assert (left, bool(cut)) == (0, True)
