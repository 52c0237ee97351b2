"""Every model gives what its fit and its uncertainty are made of, by the same names."""

from __future__ import annotations

import pytest

from quorate.numerics.ratings.bradley_terry import Design, Likelihood, Told
from quorate.numerics.ratings.leverage import PerVote
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.plackett_luce import Told as PerChoice


@pytest.mark.parametrize(("protocol", "kinds"), [(Likelihood, (Design, Choices)), (Told, (PerVote, PerChoice))])
def test_every_model_has_what_is_asked_of_one(protocol, kinds):
    names = {name for name in vars(protocol) if not name.startswith("_")}
    assert len(names) > 4
    for kind in kinds:
        assert names <= {*dir(kind), *kind.__dataclass_fields__}
