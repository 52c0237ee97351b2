import quorate as q
from quorate.collect.judge import Reply


def test_before_the_first_run_nothing_is_made(study):
    path = study()
    found = q.status(path)
    assert (found.cells, found.complete) == (0, False)
    assert "Nothing is asked yet" in found.sentence
    assert not path.with_suffix(".db").exists()


def test_how_far_it_is(study):
    path = study(budget={"calls": 4}, tries=2)
    q.run(path, judges={"rule": lambda request: None if request.cell["item"] == "q1" else 3})
    found = q.status(path)
    assert (found.cells, found.finished, found.complete) == (3, 3, True)
    (one,) = found.judges
    assert one.statuses["ok"] == 2
    assert found.spend.calls == one.calls <= found.budget.calls
    assert found.sentence.startswith("3 of 3 cells are finished")


def test_a_judge_that_has_answered_nothing_is_named(study):
    def rule(request):
        return Reply("error", fatal=True, error="no") if request.judge == "b" else 3

    path = study(judges={name: {"kind": "python"} for name in ("a", "b")})
    q.run(path, judges={"a": rule, "b": rule})
    assert q.status(path).silent == ("b",)
    assert not q.status(path).complete
    q.run(path, judges={"a": rule, "b": lambda _: 4})
    assert q.status(path).silent == ()
