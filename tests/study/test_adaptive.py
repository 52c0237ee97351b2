import re

import pytest

from quorate.errors import InvalidInput
from quorate.study.file import load


def test_a_policy_is_read(study):
    found = load(study(adaptive={"objective": "boundary", "at": 7, "tolerance": 0.5, "decide": True})).adaptive
    assert (found.name, found.batch, found.at, found.decide, found.level) == ("robin-hood", 256, 7.0, True, 0.95)


ELSEWHERE = {
    "attributes": "attributes: a reply has one score, so list the attributes as prompts",
    "prices": "prices: are those of the judges; give price there, and budget.money",
    "budget": "budget: is the study's own",
    "seed": "seed: is the study's own",
    "scale": "scale: is that of the prompts",
    "bounds": "bounds: are those of the prompts",
    "floor": "floor: is always there",
    "replicates": "replicates: are what the policy finds",
}
BAD = {
    **{name: ({name: 1}, said) for name, said in ELSEWHERE.items()},
    "level alone": ({"level": 0.9}, "level is that of an early stop; give target, or decide"),
    "interval alone": ({"interval": "t"}, "interval is that of an early stop"),
    "cycle compared": (
        {"cycle": "judge", "between": "judge", "objective": "boundary", "tolerance": 1},
        "judge is asked whole each time, or compared; leave cycle or between out",
    ),
    "delta": ({"name": "uniform", "delta": 0.1}, "delta is a constant of robin-hood"),
    "robin": ({"name": "robin"}, "robin is told all variances: give variances, .* robin-hood finds them"),
    "variances": ({"variances": "pilot.csv"}, "robin is told all variances"),
}


@pytest.mark.parametrize(("settings", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused_with_the_reason(study, settings, said):
    with pytest.raises(InvalidInput) as error:
        load(study(adaptive=settings))
    assert re.search(f"study.yaml: adaptive: {said}", str(error.value)), str(error.value)


FIELDS = {
    "facet": ({"cycle": "item"}, "adaptive.cycle: must be one of judge, .*got 'item'$"),
    "target": ({"target": 0}, "adaptive.target: .*greater than 0"),
    "level": ({"target": 1, "level": 95}, "adaptive.level: .*less than 1"),
    "weights": ({"weights": {"judge": {"a": 0}}}, "adaptive.weights.*: .*greater than 0"),
    "typo": ({"objectve": "worst"}, "adaptive.objectve: there is no such setting"),
}


@pytest.mark.parametrize(("settings", "said"), FIELDS.values(), ids=FIELDS)
def test_settings_that_break_a_rule_name_their_place(study, settings, said):
    with pytest.raises(InvalidInput, match=said):
        load(study(adaptive=settings))
