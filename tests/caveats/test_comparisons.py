import pytest

from quorate import caveats


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.few_clusters("judge", 5, 5.0), "5 levels of judge: their spread"),
        (caveats.few_clusters("cluster", 1716, 6.1), "1,716 levels of cluster, worth 6.1 of equal size"),
        (
            caveats.unpaired_cells(("a", "b"), (1259, 1), 7522),
            "1,259 cells of a and 1 cell of b, next to 7,522 of both",
        ),
        (caveats.taken_as_independent({"prompt": 1.2, "judge": 4.0}), "prompt and judge (most by judge: 4 times one"),
        (caveats.shrunk_ratings(0.25), "a standard deviation of 2, and too seldom"),
        (caveats.refits_without_ratings(12, 1000), "12 of 1,000 resamples have no finite ratings"),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence
