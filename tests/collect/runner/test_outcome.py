from quorate.collect.budget import Spend
from quorate.collect.runner.outcome import Ended, Outcome


def test_a_complete_run_says_so():
    outcome = Outcome(Ended.COMPLETE, 1200, 0, 0, {"a": 1200})
    assert outcome.complete
    assert outcome.sentence == "1,200 cells finished: every cell is answered or given up"


def test_a_dead_judge_is_named_and_its_cells_are_counted():
    outcome = Outcome(Ended.JUDGES, 10, 2, 90, {"a": 12, "b": 1}, {"b": "401 no such key"}, spend=Spend(13))
    assert not outcome.complete
    assert outcome.sentence == (
        "10 cells finished, 2 of them without a score: b does not answer (401 no such key); "
        "90 cells are left: mend the judge or its key, then run it again to go on"
    )
