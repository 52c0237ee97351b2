from __future__ import annotations

import re
from inspect import isfunction

import pytest

from quorate import caveats
from quorate.caveats import (
    averages_as_attempts,
    averages_of_judges,
    cached_answers,
    comparisons,
    designs,
    prelabelled,
    variances,
)

ONE_OF_EACH = [
    caveats.equal_style(["length"]),
    caveats.divergences(3, 2000),
    caveats.sampled_traces(0.01),
    caveats.few_labelled(12),
    caveats.copied_criteria([("fluency", "clarity", True)]),
    caveats.systems_differ(3, "the kappa of gpt with people", 0.7, 0.3),
    caveats.labels_with_known_chance(),
    caveats.labels_alike_likely(216, 760),
    caveats.turns_that_end(80, 120),
    caveats.few_scores(2, 0.5),
    caveats.no_chain("code", "plan"),
    caveats.other_number_of_labels(150, 100.0),
    caveats.few_labels_in_regression("length", 4.5),
    caveats.rare_labels_in_regression(12, 3),
    caveats.reruns_unknown(),
    caveats.people_among_judges(["ann"], ["gpt-4o", "claude"]),
    caveats.unlike_the_pilot(2.1, 0.2),
    caveats.zero_in_the_pilot("prompt", 3),
    caveats.prelabelled(3, 4, ["gpt"]),
    caveats.skipped_unseen(),
    caveats.statuses_unknown(),
    caveats.averages_as_attempts(["match"]),
    caveats.averages_of_judges(["safety_score"], ["harm"]),
    caveats.unfinished_log("started", 10, 24),
    caveats.only_the_verdict("model_graded_qa", 3, "mode"),
    caveats.votes_of_nobody("panel", 3, 24),
    caveats.judged_by_nobody("panel", 3, 24),
    caveats.failures_as_grades("0.3.95"),
    caveats.few_levels("prompt", 2),
    caveats.long_tail("items", 2.9, 0.91),
    caveats.judges_err_together([["a", "b"]], 0.9, 3),
    caveats.cached_answers(12, 36),
    caveats.below_a_pilot({"prompt": 2}, 3),
    caveats.paid_for_nothing(40, 45, "cyclic"),
    caveats.incomplete_scenarios(1, 12),
    caveats.averaged_answers(1, 8),
    caveats.carried_over("items"),
    caveats.few_categories("language", 3),
    caveats.few_clusters("judge", 5, 5.0),
    caveats.too_few_to_tell("judge", 6, 7),
    caveats.dominant_cluster("judge", "ann", 0.5, 24, 0.38, 2e-5),
    caveats.few_clusters_on_pairs("judge", 2, 3, 4.5),
    caveats.one_level_on_pairs("judge", 2, 3),
    caveats.taken_as_independent({"prompt": 1.2, "judge": 4.0}),
    caveats.mostly_shown_first("x", 90, 100),
    caveats.first_wins(0.7, 100),
    caveats.shrunk_ratings(1.0),
    caveats.reweighted("stabilised", 4000, 3800.0),
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
    caveats.one_response(),
    caveats.beyond_the_scores(1.0, 5.0),
    caveats.goes_round(["a", "b", "c"], [0.7, 0.6, 0.8], 0.001, 2),
    caveats.larger_weight(["prompt", "prompt:judge"]),
    caveats.identical_replicates(["replicate"]),
    caveats.maximum_likelihood(),
    caveats.absorbed(["judge"]),
    caveats.near_alias(12_345.6),
    caveats.endless_variance(["item:prompt"]),
    caveats.few_answers_a_level({"item:prompt": 6.0}),
    caveats.ends_unknown(),
    caveats.few_items(12),
    caveats.missing(312, 10_000),
    caveats.negative(["item:judge"]),
    caveats.panels_differ("judge"),
    caveats.judges_share_makers({"openai": ["gpt-4o", "gpt-4.1"]}),
    caveats.judges_in_families("family", 3, 9, 0.6, 2.2),
    caveats.unnamed_replicates(["scale", "turn"]),
    caveats.beyond_the_study({"judge": (12, 3)}),
    caveats.other_judges(["zzz"], ["gpt"]),
    caveats.few_df("items", 2.34),
    caveats.no_excess("items"),
    caveats.one_judge("prompts"),
    caveats.no_spread("judge", 3),
    caveats.held_by_limits("benchmark", 0.91),
    caveats.money_left(300.0, 51.84, {"items": 400, "judges": 6}, {"items": range(2, 801), "judges": range(1, 13)}),
    caveats.closest_two("x", "y", 8),
    caveats.buys_little((51.84, "±0.233"), (0.48, "±0.24"), 120),
    caveats.sensitivity("judge"),
    caveats.unequal_weights(0.67312, 0.60209),
    caveats.left_negative(["beta (generation)"]),
    caveats.few_items_with_gaps("items", 15),
    caveats.independent_attempts(),
    caveats.unpaired_cells(("gpt", "claude"), (12, 0), 300),
    caveats.unequal_answers(("gpt", "claude"), 12, 300),
    caveats.unlike_systems("gpt", 4.1, 0.001, (0.8, 1.3)),
    caveats.compared_by_pairs("gpt", 4.1, 0.001),
    caveats.labels_at_random(),
    caveats.ordered_by_differences("gpt", "claude"),
    caveats.labels_alike(["Fine", "fine"]),
    caveats.labels_alone(["spam"], ["item"]),
    caveats.rare_labels(["spam"], 10),
    caveats.agreement_of_items(2),
    caveats.most_judges(30, 400),
    caveats.unnamed_judges(),
    caveats.noise_of_votes(10, 50),
    caveats.few_labels(60, 9, 60, 1.0),
    caveats.labels_unlike_the_rest(4.2),
    caveats.few_pilot_labels(12, 30),
    caveats.few_labels_of_systems(["x", "y"], 20),
    caveats.judges_do_not_help(100, 101),
    caveats.labels_per_cluster({"prompt": 12, "judge": 3}),
    caveats.people_asked_once(),
    caveats.people_disagree(0.04, -0.1, 0.2, 60, 0.28),
    caveats.left_without_prediction(3),
    caveats.too_few_answers(3, 1440, None),
    caveats.reused_answers(98.4, 30),
    caveats.adaptive_answers(20, 130, 0.9),
    caveats.adaptive_means(-0.055, 0.001, -0.06, "a", 20),
    caveats.chosen_rows("turn <= 2", 120, 400),
    caveats.chosen_level("judge", "gpt", 120, 400),
    caveats.named_by_folders(12, ("judge",)),
    caveats.unanswered_cells({f"judge {n}": 1200 for n in range(7)}, 10_000),
]


def test_there_is_one_of_each():
    here = [one for module in (comparisons, designs, variances) for one in vars(module).values() if isfunction(one)]
    functions = {one.__name__ for one in here if one.__module__.startswith("quorate.caveats")}
    assert len(ONE_OF_EACH) == len(functions)


def test_codes_are_unique_names_for_programs():
    codes = [caveat.code for caveat in ONE_OF_EACH]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


def test_a_caveat_prints_as_its_sentence_on_one_line():
    for caveat in ONE_OF_EACH:
        assert str(caveat) == caveat.sentence
        assert "\n" not in caveat.sentence
        assert not caveat.sentence.endswith(".")


def test_unlike_systems_say_what_that_does_as_far_as_it_is_known():
    known, unknown = (caveats.unlike_systems("gpt", 4.12, 0.001, errors) for errors in ((0.8, 1.3), None))
    assert "variance ratio 4.12, p 0.001" in known.sentence
    assert "standard errors of its differences are 20% too small and those of the rest 30% too large" in known.sentence
    assert "too short if it has fewer items than the rest" in unknown.sentence


def test_caveats_are_values():
    assert caveats.few_items(12) == caveats.few_items(12)
    assert len({caveats.few_items(12), caveats.few_items(12), caveats.few_items(13)}) == 2


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.few_clusters("judge", 5, 5.0), "5 judges: their spread"),
        (caveats.few_clusters("cluster", 1716, 6.1), "1,716 clusters, worth 6.1 of equal size"),
        (
            caveats.unpaired_cells(("a", "b"), (1259, 1), 7522),
            "1,259 cells of a and 1 cell of b, next to 7,522 of both",
        ),
        (caveats.taken_as_independent({"prompt": 1.2, "judge": 4.0}), "prompt and judge (most by judge: 4 times one"),
        (caveats.shrunk_ratings(0.25), "a standard deviation of 2, and too seldom"),
        (caveats.refits_without_ratings(12, 1000), "12 of 1,000 resamples have no finite ratings"),
        (caveats.held_by_limits("benchmark", 0.91), "91% of the variance of the best design"),
        (caveats.other_judges(["zzz"], ["gpt"]), "prices by judge: some are of judges who did not judge here"),
        (
            caveats.beyond_the_study({"judge": (12, 3)}),
            "the best design goes far beyond the study (judge 12 against 3)",
        ),
        (caveats.panels_differ("judge"), "judge levels stand for themselves: a design with fewer of them"),
        (caveats.incomplete_scenarios(1, 12), "to every item: 1 item and 12 answers to others;"),
        (caveats.averaged_answers(8, 8), "the mean of its 8 answers"),
        (caveats.carried_over("texts"), "as lenient with new texts as with those of the pilot"),
        (caveats.few_pilot_items("items", 12, 20), "the pilot has 12 items: the choice is uncertain below 20"),
        (caveats.unfinished_items("3 items"), "3 items that not every judge scored"),
        (caveats.alike_by_group("category"), "equally lenient in every category"),
        (caveats.held_by_pilot("items", 0.64), "64% of the variance is what the pilot leaves"),
        (caveats.not_exhaustive(30), "30 judges: good panels were searched for"),
        (caveats.averaged_answers(1, 8), "the mean of its 1 to 8 answers"),
        (caveats.too_few_answers(3, 1440, None), "3 of 1,440 arms have fewer than 2 answers and"),
        (caveats.too_few_answers(3, 1440, "judge"), "fewer than 2 answers from every judge and"),
        (caveats.reused_answers(98.4, 30), "an arm has 30 answers and is drawn 98 times"),
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
        (caveats.other_number_of_labels(150, 100), "150 rows have a label where the given chances say about 100"),
        (caveats.few_labels_in_regression("length", 4.54), "what 4.5 equal rows would tell"),
        (caveats.rare_labels_in_regression(12, 3), "12 labels are of the rarer answer, for 3"),
        (caveats.turns_that_end(80, 120), "the last turn has 80 answers, the first 120"),
        (caveats.few_scores(2, 0.5), "scores have 2 values"),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence


def test_what_is_no_chain_begins_with_the_stage_that_tells_more():
    assert caveats.no_chain("code", "plan").sentence.startswith("plan tells more of the last stage than code")


def test_models_that_labelled_before_are_named():
    assert str(prelabelled(3, 1200, ["gpt", "claude"])).startswith(
        "3 of 1,200 annotations began with a label by gpt, c"
    )


def test_copies_are_counted_among_answers():
    said = str(cached_answers(1_200, 3_600))
    assert said.startswith("1,200 of 3,600 answers are repeats that come from a cache")


def test_a_statistic_beside_what_judges_said():
    assert str(averages_of_judges(["safety_score"], ["harm"])).endswith("what each judge said is in harm")


def test_averages_are_named_by_their_result():
    assert "the same score in match, rubric: averages" in str(averages_as_attempts(["match", "rubric"]))
