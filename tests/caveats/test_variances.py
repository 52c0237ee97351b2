import pytest

from quorate import caveats


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.few_levels("prompt", 2), "2 prompts: they hardly show how far prompts differ;"),
        (caveats.one_level("judge"), "1 judge: the result is for this judge only"),
        (caveats.boundary(["judge", "item:prompt"]), "zero: judge, item:prompt;"),
        (caveats.zero_with_few_levels("prompt", 2), "the prompt variance is estimated at zero from 2 levels"),
        (caveats.aliased(["replicate", "cell"]), "only the sum cell + replicate can be estimated"),
        (caveats.absorbed(["judge", "prompt"]), "one level only: judge, prompt"),
        (caveats.near_alias(12_345.6), "(condition number 12346)"),
        (caveats.few_items(12), "12 items: fewer than the 30"),
        (caveats.missing(312, 10_000), "312 of 10,000 judgments (3.1%)"),
        (caveats.negative(["item:judge"]), "wherever a variance is needed: item:judge"),
        (caveats.unequal_weights(0.67312, 0.60209), "the plain mean of all scores is 0.673, not 0.602: here items"),
        (caveats.unequal_weights(72.0, 47.0), "is 72, not 47: "),
        (caveats.no_spread("judge", 3), "the difference between 3 judge levels is estimated at zero"),
        (caveats.few_df("items", 2.34), "the spread of some items rests on 2.3 degrees of freedom"),
        (caveats.no_excess("items"), "the items do not differ in spread by more than chance"),
        (caveats.one_judge("prompts"), "1 judge: the spread is over prompts only"),
        (caveats.unnamed_replicates(["scale"]), "rows of one cell are taken as repeats of the same judgment; not used"),
        (caveats.left_negative(["beta", "gamma"]), "estimated below zero and left so: beta, gamma: too small"),
        (caveats.few_items_with_gaps("texts", 15), "15 texts, not all scored alike"),
        (caveats.sampled_traces(0.0123), "by 1.2% of its standard error at most"),
        (caveats.sensitivity("judge"), "the judge term is a sensitivity index"),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence
