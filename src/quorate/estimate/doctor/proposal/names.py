"""Words in the names of columns, and what they say of a column whose role nobody has said."""

from __future__ import annotations

import re

from quorate.table.columns.aliases import JUDGES, JUDGES_TOO
from quorate.table.columns.outcomes import plain

HINTS = (
    *(
        "score",
        "rating",
        "grade",
        "mark",
        "points",
        "stars",
        "correct",
        "passed",
        "success",
        "accuracy",
        "acc",
        "reward",
    ),
    *("quality", "value", "y"),
)
"""Words in the name of a column of scores, the likeliest first."""
MEASURES = frozenset(
    (
        *("len", "length", "chars", "tokens", "words", "seconds", "time", "timestamp", "date", "year", "price", "cost"),
        *("count", "latency", "age"),
    )
)
"""Words in the name of a column that is measured, and neither given by a judge nor what is judged."""
ARRANGED = frozenset(("first", "position", "order", "swapped", "flipped", "run", "trial", "attempt", "seed", "round"))
"""Words in the name of a column that says how or when something was shown: no score, but perhaps a facet."""
IDS = frozenset(("id", "ids", "index", "row", "number", "nr", "uuid"))
"""Words in the name of a column that names something: no score, but perhaps what is judged or who judges."""
WHAT = frozenset(("case", "subject", "sample", "example", "text", "document", "doc", "session", "output", "patient"))
"""Words in the name of a column that says what every row is of, where each row has another."""
KNOWN = frozenset(("human", "gold", "label", "truth", "reference"))
"""Words in the name of a column of scores that are seldom those of a judge."""
GIVEN = (
    "winner",
    "label",
    "verdict",
    "judgment",
    "decision",
    "answer",
    "choice",
    "pick",
    "class",
    "outcome",
    "result",
    "grade",
)
"""Words in the name of a column of labels, the likeliest first."""
PERSONS = frozenset(
    (
        *("respondent", "participant", "person", "user", "subject", "student", "pupil", "worker", "annotator", "rater"),
        *("reviewer", "evaluator", "voter", "member", "employee", "customer", "patient"),
    )
)
"""What a column is called that says who answered, beside words such as id."""
CRITERIA = frozenset(
    (
        *("helpful", "helpfulness", "clear", "clarity", "coherent", "coherence", "fluent", "fluency", "relevant"),
        *("relevance", "accurate", "correctness", "faithful", "faithfulness", "factual", "factuality", "consistent"),
        *("consistency", "complete", "completeness", "concise", "conciseness", "tone", "style", "safe", "safety"),
        *("harmless", "harmlessness", "natural", "naturalness", "readable", "readability", "grammar", "useful"),
        *("usefulness", "creativity", "depth", "empathy", "polite", "politeness", "groundedness", "engaging"),
    )
)
"""Words in the names of columns that hold one criterion each."""
DESCRIBED = frozenset(
    ("gender", "sex", "age", "country", "nationality", "ethnicity", "race", "education", "occupation", "city", "region")
)
"""Words in the name of a column that describes people: no judgment."""
HOLDERS = frozenset(("scores", "ratings", "criteria", "rubric", "rubrics", "metrics", "grades", "marks", "evaluation"))
"""Names of records that hold a score for each of several criteria, whose columns are ``scores.helpful``."""
QUESTION = re.compile(r"(q|question|item|statement|frage)_?\d+[a-z]?")
"""The name of a column that holds the answers to a question."""


def is_person(name: str) -> bool:
    """Whether a column says who answered, by its name.

    Examples
    --------
    >>> is_person("Respondent ID"), is_person("user_input")
    (True, False)
    """
    words = set(plain(name).split("_")) - {*IDS, "name", "code"}
    return plain(name) == "response_id" or (bool(words) and words <= PERSONS)


def is_judge(name: str) -> bool:
    """Whether a column holds the scores of one judge, by its name, such as ``rater1`` or ``Coder B``."""
    words = re.sub(r"(?<=[a-z])(?=[0-9])", "_", plain(name)).split("_")
    return words[0] in (*JUDGES, *JUDGES_TOO) and len(words) == 2 and words[1] not in ("id", "name", "model")


def is_criterion(name: str) -> bool:
    """Whether a column holds one criterion, by its name."""
    return bool(CRITERIA & set(plain(name).split("_")))


def measures(name: str) -> bool:
    """Whether a column is measured, by its name."""
    return bool(MEASURES & set(plain(name).split("_")))


def no_score(name: str) -> bool:
    """Whether a column holds no score, by its name."""
    return bool((MEASURES | ARRANGED | IDS) & set(plain(name).split("_")))
