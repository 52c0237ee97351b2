import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.labels import as_score, averaged, judge_of, label_shares, ratings

ROWS = {
    "item": list("aaabbbcc"),
    "judge": list("xxyxyyxy"),
    "replicate": [1, 2, 1, 1, 1, 2, 1, 1],
    "verdict": ["up", "down", "up", "up", "off", "off", None, "down"],
}


def read(rows=ROWS, **options):
    return q.read(pl.DataFrame(rows), score="verdict", labels=True, announce=False, **options)


def test_shares_of_answers_in_every_cell():
    table = read()
    assert table.labels == ("down", "off", "up")
    shares = label_shares(table)
    assert shares[table.n > 0].tolist() == [[0.5, 0, 0.5], [0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert np.isnan(shares[table.n == 0]).all()


def test_one_label_as_a_score_is_what_reading_it_gives():
    table = read()
    for place, label in enumerate(table.labels):
        ours = as_score(table, label_shares(table)[:, place])
        theirs = q.read(pl.DataFrame(ROWS), score="verdict", label=label, announce=False)
        for name in ("n", "mean", "ss", "low", "high"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)


def test_several_answers_of_a_judge_are_shares():
    table = read()
    answered = table.n > 0
    said = ratings(table.keep(answered), label_shares(table)[answered])
    rows = list(zip(said.item.tolist(), said.judge.tolist(), said.label.tolist(), said.weight.tolist(), strict=True))
    assert rows == [(0, 0, 0, 0.5), (0, 0, 2, 0.5), (0, 1, 2, 1), (1, 0, 2, 1), (1, 1, 1, 1), (2, 1, 0, 1)]
    assert judge_of(table)[1] == ("x", "y")


def test_items_alone():
    table = read()
    alone = averaged(as_score(table, label_shares(table)[:, 2]), ("item",))
    assert alone.names == ("item",)
    assert alone.mean.tolist() == [0.75, 0.5, 0.0]


def test_what_has_no_labels():
    with pytest.raises(InvalidInput, match="hold scores; read words as labels"):
        label_shares(q.read(pl.DataFrame({"item": [1, 2], "score": [1, 2]}), announce=False))
    with pytest.raises(NotEstimable, match="two different labels are needed"):
        label_shares(read({"item": ["a", "b"], "judge": ["x", "x"], "verdict": ["up", "up"]}))
    with pytest.raises(InvalidData, match="the same replicate twice"):
        label_shares(read({**ROWS, "replicate": [1] * 8}))


@pytest.mark.parametrize("call", [q.decompose, q.agreement.alpha, q.judges, q.scores.naive, q.scores.missing_bounds])
def test_labels_are_refused_where_scores_are_needed(call):
    with pytest.raises(InvalidInput, match="hold labels, which are no numbers"):
        call(read())


def test_labels_have_no_range():
    assert np.isnan(read().describe().scores.low)


def test_labels_are_written_as_words(tmp_path):
    table = read()
    written = table.write(tmp_path / "again.csv")
    assert [*written.notes] == ["read it again with labels=True"]
    again = q.read(written.path, labels=True, announce=False)
    assert again.labels == table.labels
    np.testing.assert_array_equal(label_shares(again), label_shares(table))
