from __future__ import annotations

from quorate.reporting.pages.judgments import phrases


def test_axes_have_units(demo):
    assert phrases.axis(demo) == "score (score units)"
    assert phrases.axis(demo, "mean of") == "mean of score (score units)"


def test_the_size_of_a_study_names_every_facet(demo):
    assert phrases.size(demo) == "n = 1,773 judgments (60 items, 5 prompts, 3 judges, 12 categories)"


def test_rows_beyond_those_drawn_are_counted():
    assert phrases.more(range(50)) == ()
    assert phrases.more(range(55)) == ("And 5 more: the table has all.",)


def test_a_sentence_starts_with_a_capital():
    assert phrases.capital("no item was judged twice") == "No item was judged twice"
