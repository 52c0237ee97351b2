from __future__ import annotations

import numpy as np

from quorate.numerics.ratings.rectified import Battles, summed_by


def test_labelled_battles_stand_for_those_of_their_stratum_by_their_chances():
    own, others = np.array([0, 0, 1]), np.array([0, 0, 1, 1, 1, 1])
    share = np.array([1.0, 1.0, 1.0])
    alike = Battles(None, (), (), share, (own, others), ())
    assert [size.tolist() for size in alike.sizes] == [[2, 1], [2, 4]]
    assert alike.worth.tolist() == [2, 2, 5]
    assert alike.beyond.tolist() == [1, 1, 4]
    unlike = Battles(None, (), (), share, (own, others), (), chance=np.array([0.9, 0.3, 0.5]))
    np.testing.assert_allclose(unlike.worth, [1, 3, 5])
    assert summed_by(own, np.ones((3, 2)), 2).tolist() == [[2, 2], [1, 1]]
