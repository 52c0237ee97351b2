"""Kinds of judges: several people are a judge each."""

import pytest

from quorate.study.goal import KINDS, PeopleSettings, PythonSettings, seated


def test_every_seat_of_several_people_is_a_judge():
    raters = PeopleSettings(kind="people", seats=2, price=0.3)
    found = seated({"m": PythonSettings(kind="python"), "raters": raters})
    assert list(found) == ["m", "raters 1", "raters 2"]
    assert (found["raters 1"].kind, found["raters 2"].price) == ("person", 0.3)
    with pytest.raises(ValueError, match='"raters 1" is the name of a seat and of another judge'):
        seated({"raters 1": PythonSettings(kind="python"), "raters": raters})
    assert KINDS == ("endpoint", "batch", "local", "replay", "python", "person", "people")
