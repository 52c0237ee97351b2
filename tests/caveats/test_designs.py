import pytest

from quorate import caveats


@pytest.mark.parametrize(
    ("caveat", "part"),
    [
        (caveats.held_by_limits("benchmark", 0.91), "91% of the variance of the best design"),
        (
            caveats.other_judges(["zzz"], ["gpt"]),
            "prices by judge: some are of judges who did not judge here",
        ),
        (
            caveats.beyond_the_study({"judge": (12, 3)}),
            "the best design goes far beyond the study (judge 12 against 3)",
        ),
        (caveats.panels_differ("judge"), "judge levels stand for themselves: a design with fewer of them"),
        (caveats.incomplete_scenarios(1, 12), "of every scenario: 1 scenario and 12 generations of others;"),
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
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_sentence_says_what_it_is_about(caveat, part):
    assert part in caveat.sentence
