"""Agreement of judges with each other and with people, and what people would find.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import homes, lazily

if TYPE_CHECKING:
    from quorate.estimate.agreement.against import against as against
    from quorate.estimate.agreement.agreement import agreement as agreement
    from quorate.estimate.agreement.coefficients import alpha as alpha
    from quorate.estimate.agreement.coefficients import icc as icc
    from quorate.estimate.agreement.labelled import beside as beside
    from quorate.estimate.agreement.leaderboards import accuracy as accuracy
    from quorate.estimate.agreement.prediction_powered import corrected as corrected
    from quorate.estimate.agreement.yardsticks import alt_test as alt_test
    from quorate.estimate.ratings.corrected_ratings import corrected_ratings as corrected_ratings
    from quorate.planning.labels_plan import plan_board_labels as plan_board_labels
    from quorate.planning.plan_labels import plan_labels as plan_labels

_HOMES = homes(
    {
        "estimate.agreement.against": "against",
        "estimate.agreement.agreement": "agreement",
        "estimate.agreement.coefficients": "alpha icc",
        "estimate.agreement.labelled": "beside",
        "estimate.agreement.leaderboards": "accuracy",
        "estimate.agreement.prediction_powered": "corrected",
        "estimate.agreement.yardsticks": "alt_test",
        "estimate.ratings.corrected_ratings": "corrected_ratings",
        "planning.labels_plan": "plan_board_labels",
        "planning.plan_labels": "plan_labels",
    }
)

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
