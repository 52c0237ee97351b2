"""What judges do to scores, in reading order.

``judge_means``: the mean score by every judge of every system.
``bias``, ``preference``, ``reversals``: judges against the panel, on the system that they are, and alone.
``crossed``: judge effects and components of a panel that scored everything.
``scores``, ``components``, ``judge_effect``: its scores, its variance components, its tests.
"""
