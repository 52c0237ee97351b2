"""Agreement of judges with each other and with people, and what people would find.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

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

__all__, __getattr__, __dir__ = lazily(__name__)
