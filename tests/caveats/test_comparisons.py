import pytest

from quorate import caveats


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.few_clusters("judge", 5, 5.0), "5 levels of judge: their spread"),
        (caveats.taken_as_independent(["prompt", "judge"]), 'share their prompt and judge: say cluster="prompt"'),
        (caveats.shrunk_ratings(0.25), "a standard deviation of 2, and too seldom"),
        (caveats.refits_without_ratings(12, 1000), "12 of 1,000 resamples have no finite ratings"),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence
