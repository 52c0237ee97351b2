"""Counts of categories from the moments of cells, and from single answers where those do not tell."""

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.components.assemble import categories


def read(cells, **options):
    rows = [(f"i{i}", str(r), score) for i, scores in enumerate(cells) for r, score in enumerate(scores)]
    frame = pl.DataFrame(rows, schema=["item", "replicate", "score"], orient="row")
    return q.read(frame, announce=False, **options)


def test_two_scores():
    values, counts = categories(read([[1, 3, 3], [1], [3, 3]]), "logit")
    assert values.tolist() == [1, 3]
    assert counts.tolist() == [[1, 2], [1, 0], [0, 2]]
    assert categories(read([[1, 3, 3], [1], [3, 3]]), "ordinal")[1].tolist() == counts.tolist()


@pytest.mark.parametrize("cells", [[[1, 2, 4], [3, 3], [2, 5], [4]], [[1, 2, 4, 4, 5], [3, 3], [2, 5, 1, 1], [4]]])
def test_marks_of_few_and_of_many_answers(cells):
    values, counts = categories(read(cells), "ordinal")
    assert values.tolist() == [1, 2, 3, 4, 5]
    assert counts.tolist() == [[scores.count(mark) for mark in (1, 2, 3, 4, 5)] for scores in cells]


def test_scores_that_a_link_is_not_for():
    with pytest.raises(InvalidInput, match=r'two values, such as 0 and 1, and these have more; .*link="ordinal"'):
        categories(read([[1, 2], [3]]), "logit")
    with pytest.raises(InvalidInput, match="at most 20 different scores, and these have 25"):
        categories(read([[i] for i in range(25)]), "ordinal")
