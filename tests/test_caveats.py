import re

import pytest

from quorate import caveats
from quorate.caveats import Caveat

ONE_OF_EACH = [
    caveats.few_levels("prompt", 2),
    caveats.incomplete_scenarios(1, 12),
    caveats.averaged_answers(1, 8),
    caveats.carried_over("items"),
    caveats.few_clusters("judge", 5, 5.0),
    caveats.taken_as_independent(["prompt", "judge"]),
    caveats.shrunk_ratings(1.0),
    caveats.refits_without_ratings(12, 1000),
    caveats.few_pilot_items("items", 12, 20),
    caveats.unfinished_items("3 items"),
    caveats.alike_by_group("category"),
    caveats.held_by_pilot("items", 0.64),
    caveats.not_exhaustive(30),
    caveats.one_level("judge"),
    caveats.boundary(["judge", "item:prompt"]),
    caveats.zero_with_few_levels("prompt", 2),
    caveats.aliased(["replicate", "cell"]),
    caveats.identical_replicates(["replicate"]),
    caveats.maximum_likelihood(),
    caveats.absorbed(["judge"]),
    caveats.near_alias(12_345.6),
    caveats.few_items(12),
    caveats.missing(312, 10_000),
    caveats.negative(["item:judge"]),
    caveats.panels_differ("judge"),
    caveats.unnamed_replicates(["scale", "turn"]),
    caveats.beyond_the_study({"judge": (12, 3)}),
    caveats.other_judges(["zzz"], ["gpt"]),
    caveats.few_df("items", 2.34),
    caveats.no_excess("items"),
    caveats.one_judge("prompts"),
    caveats.no_spread("judge", 3),
    caveats.held_by_limits("benchmark", 0.91),
    caveats.sensitivity("judge"),
    caveats.unequal_weights(0.67312, 0.60209),
    caveats.left_negative(["beta (generation)"]),
    caveats.few_items_with_gaps("items", 15),
    caveats.independent_attempts(),
    caveats.unpaired_cells(("gpt", "claude"), (12, 0), 300),
    caveats.unequal_answers(("gpt", "claude"), 12, 300),
    caveats.few_drawn({"judge": 5}, 4.2),
    caveats.labels_at_random(),
    caveats.few_labels(12, 3, 12),
    caveats.labels_unlike_the_rest(4.2),
    caveats.left_without_prediction(3),
    caveats.too_few_answers(3, 1440, None),
    caveats.reused_answers(98.4, 30),
]


def test_there_is_one_of_each():
    makers = [name for name, value in vars(caveats).items() if callable(value) and value.__module__ == caveats.__name__]
    assert len(ONE_OF_EACH) == len(set(makers) - {"Caveat"})


def test_codes_are_unique_names_for_programs():
    codes = [caveat.code for caveat in ONE_OF_EACH]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


@pytest.mark.parametrize("caveat", ONE_OF_EACH, ids=lambda caveat: caveat.code)
def test_a_caveat_prints_as_its_sentence_on_one_line(caveat):
    assert str(caveat) == caveat.sentence
    assert "\n" not in caveat.sentence
    assert not caveat.sentence.endswith(".")


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.few_levels("prompt", 2), "2 prompt levels: the prompt component rests on 1 degree of freedom;"),
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
        (caveats.held_by_limits("benchmark", 0.91), "91% of the variance of the best design"),
        (caveats.no_spread("judge", 3), "the difference between 3 judge levels is estimated at zero"),
        (caveats.few_df("items", 2.34), "the spread of some items rests on 2.3 degrees of freedom"),
        (caveats.no_excess("items"), "the items do not differ in spread by more than chance"),
        (caveats.one_judge("prompts"), "1 judge: the spread is over prompts only"),
        (
            caveats.other_judges(["zzz"], ["gpt"]),
            "prices by judge: some are of judges who did not judge here",
        ),
        (
            caveats.beyond_the_study({"judge": (12, 3)}),
            "the best design goes far beyond the study (judge 12 against 3)",
        ),
        (caveats.unnamed_replicates(["scale"]), "rows of one cell are taken as repeats of the same judgment; not used"),
        (caveats.panels_differ("judge"), "judge levels stand for themselves: a design with fewer of them"),
        (caveats.incomplete_scenarios(1, 12), "of every scenario: 1 scenario and 12 generations of others;"),
        (caveats.averaged_answers(8, 8), "the mean of its 8 answers"),
        (caveats.few_clusters("judge", 5, 5.0), "5 levels of judge: their spread"),
        (caveats.taken_as_independent(["prompt", "judge"]), 'share their prompt and judge: say cluster="prompt"'),
        (caveats.shrunk_ratings(0.25), "a standard deviation of 2, and too seldom"),
        (caveats.refits_without_ratings(12, 1000), "12 of 1,000 resamples have no finite ratings"),
        (caveats.carried_over("texts"), "as lenient with new texts as with those of the pilot"),
        (caveats.few_pilot_items("items", 12, 20), "the pilot has 12 items: the choice is uncertain below 20"),
        (caveats.unfinished_items("3 items"), "3 items that not every judge scored"),
        (caveats.alike_by_group("category"), "equally lenient in every category"),
        (caveats.held_by_pilot("items", 0.64), "64% of the variance is what the pilot leaves"),
        (caveats.not_exhaustive(30), "30 judges: good panels were searched for"),
        (caveats.averaged_answers(1, 8), "the mean of its 1 to 8 answers"),
        (caveats.left_negative(["beta", "gamma"]), "estimated below zero and left so: beta, gamma: too small"),
        (caveats.few_items_with_gaps("texts", 15), "15 texts, not all scored alike"),
        (caveats.too_few_answers(3, 1440, None), "3 of 1,440 arms have fewer than 2 answers and"),
        (caveats.too_few_answers(3, 1440, "judge"), "fewer than 2 answers from every judge and"),
        (caveats.reused_answers(98.4, 30), "an arm has 30 answers and is drawn 98 times"),
        (caveats.sensitivity("judge"), "the judge term is a sensitivity index"),
    ],
    ids=lambda value: value.code if isinstance(value, Caveat) else "",
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence


def test_caveats_are_values():
    assert caveats.few_items(12) == caveats.few_items(12)
    assert len({caveats.few_items(12), caveats.few_items(12), caveats.few_items(13)}) == 2
