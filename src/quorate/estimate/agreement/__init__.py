"""Agreement of judges with people and with each other, in reading order.

``agreement``: how often pipelines of judges decide battles as people do.
``pipelines``, ``battles``, ``clusters``: what a pipeline is, its verdicts, battles that resemble each other.
``accuracy``, ``cells``: how often judges are right, and single judgments in every cell.
``against``, ``verdicts``, ``rightness``, ``yardsticks``: judges against labels, their majority, a panel's worth.
``pairwise``: how alike two judges answer the same question, among people, and models with people.
``alt_test``: whether a model may stand in for any one of several people.
``position``: whether the response shown first is preferred.
``prediction_powered``, ``labelled``, ``corrected``: means of judges corrected by a few labels of people; its result.
``coefficients``: Krippendorff's alpha and intraclass correlations.
``leaderboards``: agreement of leaderboards with a reference.
"""
