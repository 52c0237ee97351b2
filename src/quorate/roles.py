"""Names of the roles that columns play, as the package writes them."""

from __future__ import annotations

ITEM = "item"
JUDGE = "judge"
FAMILY = "family"
PROMPT = "prompt"
SYSTEM = "system"
TEMPERATURE = "temperature"
REPLICATE = "replicate"
GENERATION = "generation"
TURN = "turn"
CATEGORY = "category"
PROPENSITY = "propensity"

SAME = ":"
"""Before a word that is the same in every row, where the column of a role is asked for."""

BETTER = ">"
"""Between columns of names of which each row ranks the first as the best, the next as the second."""

AMONG = "|"
"""Between columns of names that share a place, which nobody compared, as those between the best and the worst do.

Without columns: all that are named in other rows.
"""

OF = "/"
"""Between a column of successes and one of how many were tried, of which a score is the share."""

DOWN = ".."
"""Behind the name of a column whose empty cells mean what stands above them."""

FOLDED = "~"
"""Behind the name of a column whose labels that differ in capitals, or in blanks around them, are one."""

VERDICT = "[[]]"
"""Behind the name of a column of texts of each of which the last word in double brackets is the verdict."""

PICK = "?"
"""Behind two columns with `AMONG` between them, and before one that names one of these, or what stands in it.

What stands in the named one is meant, and with ``!`` behind the mark what stands in the other.
"""

SIDES = "sides"
"""What a question is about that takes whatever is compared, unless nobody could say what its sides are."""

MEANING = ("scale", "less_is_better")
"""Arguments that say what scores mean, and not which columns hold them."""
