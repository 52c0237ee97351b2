"""What columns side by side are levels of, by their names: judges, systems, questions, criteria, tries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from quorate.frozen import dataclass
from quorate.roles import ITEM, JUDGE, REPLICATE, SYSTEM
from quorate.table.columns.aliases import JUDGES_ALONE
from quorate.table.columns.given_names import is_given, without_remark
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    CRITERIA_IN,
    GIVEN,
    GROUPS,
    HINTS,
    HOLDERS,
    IDS,
    MEASURES,
    METRICS,
    PEOPLE,
    QUESTION,
    REMARKS,
    RESPONSES,
    SYSTEMS,
    TOTALS,
    form_of,
    is_arm,
    is_criterion,
    is_judge,
    is_judged,
    is_less,
    is_person,
    words_of,
)
from quorate.table.exchange.wide import crossed
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_model, is_product, maker
from quorate.table.reading.key import is_of_machines, is_of_people
from quorate.table.reading.reading import Confidence, Meant
from quorate.wording import listed, words

CRITERION = "criterion"
"""Role of columns that each hold the score by one criterion."""
TIME = "time"
"""Role of columns that each hold what was said at one occasion."""
_OCCASION = re.compile(r"(t|time|read|reading|occasion|session|wave|visit|round|day|week)_?\d+")
"""What a part of the name of such a column is."""
_TRIES = frozenset(
    ("read", "reading", "run", "rerun", "repeat", "rep", "repetition", "attempt", "try", "seed", "epoch", "iteration")
)
"""What a column is called, with a number, that holds the scores of one try of several."""
_ASKED = frozenset(("question", "item", "q", "problem", "exercise", "task"))
"""What rows are that people answer, whose names then are those of who is judged."""
_ANSWERED = frozenset(("timestamp", "submitted", "completed", "your", "initials"))
"""Words of a form for when somebody answered, of whom nothing else may be told, and for who."""
_AGENTS = frozenset(("assistant", "model", "system", "bot", "chatbot", "version", "variant", "tool"))
"""What stands before the name of one in a question that is asked of each."""
_FEWEST_NUMBERED = 6
"""Columns numbered in one form from which on they are what those who are in rows judged."""
_CODED, _FEWEST_CODED = re.compile("[LPWUAE](er)?[-_ ]?0?[0-9]{1,2}"), 8
"""How listeners, participants, workers, users, annotators and experts are coded, and from how many on columns are."""
_FEWEST_PLACED = 4
"""Places from which on columns that hold each once are no scores."""
_LEARNERS = frozenset(words("RF NB LR DT NN GB KNN SVM GBM XGB MLP CNN RNN GNN"))
"""Capitals that stand for ways to learn, and not for a person."""


_FEWEST_TOGETHER, _MOST_TOGETHER, _BY_CHANCE = 3, 12, 0.01
"""Columns of which one may be what the others came to, and how rarely a column like these would never be apart."""
_FEWEST_ASKED, _MOST_ASKED, _FEWEST_QUESTIONS, _CHANCE = 10, 10_000, 5, 1.5
"""Who answered, questions, and standard errors of a correlation, from which on it shows that questions are turned."""


@dataclass(frozen=True)
class Said:
    """What the columns of a family are, and how plain that is."""

    role: str
    why: str
    confidence: Confidence


def part_of(names: Sequence[str]) -> str | None:
    """What one of the two things is that names of columns cross; None if no name says it."""
    if all(is_judge(name) or re.fullmatch(r"r\d+", name.lower()) for name in names):  # short for raters
        return JUDGE
    if len({words_of(name)[0] for name in names}) == 1 and words_of(names[0])[0] in JUDGES_ALONE:
        return JUDGE  # such as judge_gpt4o
    people = [bool(PEOPLE & {*words_of(name)}) for name in names]
    beside = any(people) and all(one or is_model(name) for one, name in zip(people, names, strict=True))
    if beside or are_people(names, names):
        return JUDGE
    if all(map(is_criterion, names)):
        return CRITERION
    if all(_OCCASION.fullmatch(plain(name)) for name in names):
        return TIME
    told = [maker(name) is not None or is_arm(name) or words_of(name)[0] in ("sys", "system") for name in names]
    return SYSTEM if all(told) or (any(map(is_model, names)) and not any(map(is_criterion, names))) else None


def role_of(row: str | None, columns: Sequence[str], known: Mapping[str, str], names: Sequence[str]) -> Said:
    """What columns of scores are, and why: the first that their names, that of the row, or those beside say."""
    bare = stripped(columns)
    questions = sum(QUESTION.fullmatch(plain(name)) is not None for name in columns)
    criteria = sum(map(is_criterion, varying(columns)))
    if criteria and varying(columns) != [*map(plain, columns)]:  # named alike; alone it is the score
        criteria += sum("quality" in words_of(name) for name in columns)
    systems = _are_systems(bare) or _are_systems(columns)
    held = all(holder_of(name) in HOLDERS for name in columns)
    asked = questions == len(columns) or _are_asked(columns)
    people = row is not None and ITEM not in known and (known.get(JUDGE) == row or is_person(row))
    people |= asked and bool(_ANSWERED & {*words_of(row or "")})
    told = JUDGE in known or all(words_of(name)[0] in ("model", "system") for name in bare) or all(map(is_arm, columns))
    sure_held: Confidence = "sure" if held and all(holder_of(name) in CRITERIA_IN for name in columns) else "unsure"
    several = f"{columns[0]} to {columns[-1]}"
    mostly: Confidence = "likely" if JUDGE in known and row is not None else "unsure"
    judged = _said_of_judges(row, columns, known, names, people)
    ways = (
        (judged is not None, judged),
        (
            2 * criteria > len(columns) - ({JUDGE, SYSTEM} <= known.keys()),
            Said(CRITERION, "columns are criteria by their names", "sure" if criteria == len(columns) else mostly),
        ),
        (
            people and SYSTEM not in known and bool(grid_of(columns)),
            Said(SYSTEM, f"{several} are the rows of one question, each of which everybody rated", "likely"),
        ),
        (
            people,
            Said(
                ITEM,
                f"{row} says who answered: columns are questions, and people judge them",
                "sure" if asked else "unsure",
            ),
        ),
        (
            2 * questions > len(columns),
            Said(ITEM, f"{several} are questions by their names, and every {row or 'row'} answers them", "unsure"),
        ),
        (
            held,
            Said(CRITERION, f"{columns[0].rpartition('.')[0]} holds them together: columns are criteria", sure_held),
        ),
        (
            SYSTEM not in known and all(map(_is_of_version, columns)),
            Said(SYSTEM, f"{several} are versions by their names", "likely"),
        ),
        (
            SYSTEM not in known and _gave_answers(bare, {*names} - {*columns}),
            Said(SYSTEM, "what each answered stands beside: columns are systems", "sure"),
        ),
        (
            SYSTEM not in known and _are_computed(columns),
            Said(SYSTEM, f"a program computed {several}, of one system each", "likely"),
        ),
        (
            systems and SYSTEM not in known,
            Said(SYSTEM, "columns are systems by their names", "sure" if told else "unsure"),
        ),
        (
            JUDGE in known and SYSTEM not in known and row is not None and are_products(bare, columns),
            Said(SYSTEM, f"{listed(columns, most=4)} are taken for systems, as their names are written", "likely"),
        ),
        (JUDGE in known, Said(CRITERION, f"{known.get(JUDGE)} is the judge: columns are criteria", "unsure")),
        (
            not (row is None or SYSTEM in known or any(map(is_of_machines, columns))) and are_products(bare, columns),
            Said(SYSTEM, "columns may be systems, as their names are written", "unsure"),
        ),
    )
    found = next((said for true, said in ways if true), None)
    return found or Said(JUDGE, "columns are taken for judges", "unsure")


def _said_of_judges(
    row: str | None, columns: Sequence[str], known: Mapping[str, str], names: Sequence[str], people: bool
) -> Said | None:
    """Who judged, or at which try, where the names of columns say it; None where they do not."""
    bare, shown, several = stripped(columns), listed(columns, most=4), f"{columns[0]} to {columns[-1]}"
    systems = _are_systems(bare) or _are_systems(columns)
    coded = row is not None and is_judged(row) and len(columns) >= _FEWEST_CODED
    ways = (
        (
            JUDGE not in known and systems and _give_reasons(bare, {*names} - {*columns}),
            Said(JUDGE, "models whose reasons stand beside are judges", "sure"),
        ),
        (
            SYSTEM in known and all(map(is_model, bare)),
            Said(JUDGE, f"models beside {known.get(SYSTEM)} are judges", "sure"),
        ),
        (
            all(map(is_judge, bare)) or all(map(is_judge, columns)) or _say_judges(columns),
            Said(JUDGE, "columns are judges by their names", "sure"),
        ),
        (
            all(map(is_try, columns)) or all(map(is_try, bare)),
            Said(REPLICATE, f"{several} are tries of the same by their names", "sure"),
        ),
        (
            all(map(is_initials, columns)) and any(name not in _LEARNERS for name in columns),
            Said(JUDGE, f"{shown} are taken for judges by their initials", "likely"),
        ),
        (
            are_people(columns, bare)
            and not people
            and (SYSTEM in known or _say_given(columns) or not {*words_of(row or "")} & _ASKED),
            Said(JUDGE, f"{shown} are taken for judges by their names", "likely"),
        ),
        (
            coded and all(map(_CODED.fullmatch, columns)),
            Said(JUDGE, f"{several} are taken for judges, {len(columns)} by the numbers of one letter", "likely"),
        ),
    )
    return next((said for true, said in ways if true), None)


def are_people(columns: Sequence[str], bare: Sequence[str]) -> bool:
    """Whether names, and without the words they share, are given names, or half of them beside what may be surnames."""
    others = [name for name, one in zip(columns, bare, strict=True) if not (is_given(one) or is_given(name))]
    parts = varying(columns) if len(columns) > 1 else list(bare)  # such as anna of mod_anna
    if parts != [*map(plain, columns)] and 2 * sum(map(is_given, parts)) > len(parts) and all(map(str.isalpha, parts)):
        return True
    return not others or (all(map(_may_be_surname, others)) and len(columns) - len(others) >= max(2, len(others)))


def _say_given(columns: Sequence[str]) -> bool:
    """Whether all names begin with the word for one thing that who judges gives, as ``pick_ana`` does."""
    heads = {words_of(name)[0] for name in columns}
    return len(heads) == 1 and heads <= {*HINTS, *GIVEN} - {"answer"}


def _may_be_surname(name: str) -> bool:
    """Whether a name is one word with a capital, and says nothing of what a column may hold."""
    word = name.isalpha() and name.istitle() and not (is_criterion(name) or is_model(name) or is_judged(name))
    return word and not {*words_of(name)} & {*HINTS, *GIVEN, *TOTALS, *IDS, *REMARKS, *RESPONSES, *MEASURES, *GROUPS}


def _are_systems(names: Sequence[str]) -> bool:
    """Whether all are called as systems are, the two sides of a comparison or models."""
    return all(SYSTEMS & {*words_of(name)} or is_arm(name) or maker(name) is not None for name in names)


def are_products(bare: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether one name at least is written as that of a product is, and no other says what else it may be."""
    other = {*HINTS, *GIVEN, *TOTALS, *IDS, *REMARKS, *RESPONSES, *MEASURES, *GROUPS}
    parts = [part.strip() or name for part, name in zip(_own_parts(columns), bare, strict=True)]
    plainly = [part for part in parts if not (is_product(part) or is_of_machines(part))]
    said = any(is_criterion(part) or is_judged(part) or {*words_of(part)} & other for part in plainly)
    return not said and len({*map(form_of, parts)}) == len(parts) > len(plainly)


def _own_parts(columns: Sequence[str]) -> list[str]:
    """Names without what all of them begin with up to a mark, as ``Rating: `` of ``Rating: DeepTrans``."""
    heads = {name.partition(":")[0] for name in columns if ":" in name}
    alike = len(heads) == 1 and all(":" in name for name in columns)
    return [name.partition(":")[2] if alike else name for name in columns]


def _are_asked(columns: Sequence[str]) -> bool:
    """Whether columns hold answers: their names are sentences, or numbered, as ``art_01`` to ``art_32`` are."""
    forms = {form_of(name) for name in columns}
    many = len(columns) >= _FEWEST_NUMBERED and len(forms) == 1 and "#" in next(iter(forms))
    return many or all(" " in name.strip() or _numbered(name) for name in columns)


def _give_reasons(columns: Sequence[str], others: Collection[str]) -> bool:
    """Whether a column of reasons stands beside each, and none of what each answered: they are who judged."""
    own, beside = [words_of(name) for name in columns], [words_of(name) for name in others]
    reasons, answers = (
        [any(words[: len(head)] == head and {*words[len(head) :]} & kind for words in beside) for head in own]
        for kind in (REMARKS, RESPONSES)
    )
    return all(reasons) and not any(answers)


def _are_computed(columns: Sequence[str]) -> bool:
    """Whether names end, or begin, with one measure that programs compute, and nobody judges."""
    words = [words_of(name) for name in columns]
    return min(map(len, words)) > 1 and any(
        len(same := {one[end] for one in words}) == 1 and same <= METRICS for end in (0, -1)
    )


def _gave_answers(columns: Sequence[str], others: Collection[str]) -> bool:
    """Whether a column of what each answered stands beside, and none of its reasons: they are what was judged."""
    own, beside = [words_of(name) for name in columns], [words_of(name) for name in others]
    behind = [{word for words in beside if words[: len(head)] == head for word in words[len(head) :]} for head in own]
    return all(words & RESPONSES and not words & REMARKS for words in behind)


def varying(columns: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with, such as ``google`` of ``adequacy_google``."""
    words = [words_of(name) for name in columns]
    for place in (0, -1):
        while min(map(len, words)) > 1 and len({one[place] for one in words}) == 1:
            words = [one[1:] if place == 0 else one[:-1] for one in words]
    return ["_".join(one) for one in words]


def grid_of(columns: Sequence[str]) -> tuple[str, ...]:
    """What stands in brackets behind one question, as forms have it, or which system one is asked of in each.

    Nothing where that is numbered or judged itself.

    Examples
    --------
    >>> grid_of(["How good? [Aya]", "How good? [Bo]"]), grid_of(["Rate it [text 1]", "Rate it [text 2]"])
    (('Aya', 'Bo'), ())
    >>> grid_of(["How would you rate assistant Aya?", "How would you rate assistant Bo?"])
    ('aya', 'bo')
    """
    found = [re.fullmatch(r"(.*\S)\s*\[([^\[\]]+)\]\s*", name) for name in columns]
    common = set[str]() if any(found) else set.intersection(*({*words_of(name)} for name in columns))
    if len(common) >= _FEWEST_TOGETHER and common & _AGENTS and not any(map(is_criterion, varying(columns))):
        named = tuple(varying(columns))
    elif len({one[1] if one else None for one in found}) > 1 or not all(found):
        return ()
    else:
        named = tuple(one[2] for one in found if one)
    numbered = len({form_of(name) for name in named}) == 1 or any(map(is_judged, named))
    return () if numbered else named


def grids_in(free: Sequence[Column]) -> tuple[str, ...]:
    """Columns of several grids with the same rows, such as ``Text 1 [old]`` or ``gpt (Ana)``, if all hold scores."""
    for end in "])":
        grids = [one for one in free if one.name.rstrip().endswith(end)]
        known = {word for one in grids if one.scored for word in one.words}
        names = tuple(one.name for one in grids)
        held = all(one.scored or {*one.words} <= known for one in grids)  # some may have got a few of the words alone
        if held and len(names) > len("ab") and (crossed(names) or grid_of(names)):
            return names
    return ()


def is_try(name: str) -> bool:
    """Whether a column holds one of several tries of the same, by its name, such as ``run_1``."""
    words = words_of(name)
    return len(words) == len(("run", "1")) and words[0] in _TRIES and words[1].isdigit()


def is_initials(name: str) -> bool:
    """Whether a name may be the initials of somebody."""
    return re.fullmatch(r"[A-Z]{2,3}", name.strip()) is not None


def _numbered(name: str) -> bool:
    """Whether a name is one of what is judged and its number, such as ``unit3``."""
    words = words_of(name)
    return len(words) > 1 and words[-1].isdigit() and is_judged(" ".join(words[:-1]))


def _is_of_version(name: str) -> bool:
    """Whether a name is of the score of one version, such as ``v2_score`` and ``rating_v2``."""
    words = re.sub(r"(^|_)(v|version)_?\d+(_|$)", "_", "_".join(words_of(name)), count=1).strip("_").split("_")
    return words != words_of(name) and {*words} <= {*HINTS}


def _is_of_judge(name: str) -> bool:
    """Whether a record of judges holds a column, as in ``judges.gpt.score``."""
    return "." in name and words_of(name)[0].removesuffix("s") in JUDGES_ALONE


def _say_judges(columns: Sequence[str]) -> bool:
    """Whether names are of records of judges, or begin or end with a word for who judges, as ``judge_gpt4o`` does."""
    if all(map(_is_of_judge, columns)):
        return True
    if all(len(words_of(name)) > 1 and words_of(name)[-1] in JUDGES_ALONE for name in columns):
        return True
    heads, ends = {words_of(name)[0] for name in columns}, [words_of(name)[1:] for name in columns]
    others = {*HINTS, *GIVEN, *TOTALS, *IDS}
    return len(heads) == 1 and heads <= {*JUDGES_ALONE} and all(ends) and not any({*end} & others for end in ends)


def is_level(name: str) -> bool:
    """Whether a name is that of a judge or of a system."""
    return is_judge(name) or bool(SYSTEMS & {*words_of(name)}) or maker(name) is not None


def are_places(table: Table, columns: Sequence[str]) -> bool:
    """Whether every column holds the numbers from 1 to that of rows, each once, as no scores do."""
    kinds = [table.column(name) for name in columns]
    return table.rows >= _FEWEST_PLACED and all(
        one.whole and one.distinct == one.filled == one.high == table.rows and one.low == 1 for one in kinds
    )


def stripped(columns: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with, such as ``judge_a`` of ``score_judge_a``.

    Examples
    --------
    >>> stripped(["rater1_score", "rater2_score"]), stripped(["gpt_correct", "claude_correct"])
    (['rater_1', 'rater_2'], ['gpt', 'claude'])
    """
    if all(map(is_judge, columns)):
        return ["_".join(words_of(without_remark(name))) for name in columns]
    words = [words_of(name) for name in columns]
    while min(map(len, words)) > 1 and len({one[-1] for one in words}) == 1:
        words = [one[:-1] for one in words]
    judges = ["_".join(one) for one in words]
    while min(map(len, words)) > 2 and len({one[0] for one in words}) == 1 and not all(map(is_judge, judges)):
        words = [one[1:] for one in words]
        judges = ["_".join(one) for one in words]
    return judges


def holder_of(name: str) -> str:
    """The name of the record that holds a column, or the record of a score alone; empty if none does."""
    *holders, last = name.split(".")
    if len(holders) > 1 and plain(last) in HINTS:
        holders.pop()
    return plain(holders[-1]) if holders else ""


def open_of(
    table: Table, columns: Sequence[str], words: bool, said: Said, options: Mapping[str, Any]
) -> tuple[str, tuple[Meant, ...]] | None:
    """What is open of columns whose role is known: whether they have a mean of their own, are codes, or are turned."""
    if said.role == CRITERION and said.confidence == "sure" and _apart(table, columns):
        rest = {name: value for name, value in options.items() if name not in ("wide", "fixed")}
        alone = [Meant({**rest, "score": name}, f"{name} alone", measure=name) for name in columns]
        problem = f"{listed(columns, most=6)} are measures of their own by their names"
        return problem, (*alone, Meant(options, "their mean"))
    if said.role == JUDGE and not words and _are_codes(table, columns):
        each = Meant({**options, "labels": True}, "codes, each a label")
        problem = f"{listed(columns, most=6)} are coders by their names: their numbers may be codes"
        return problem, (each, Meant(options, "scores"))
    turned = _turned(table, columns) if said.role == ITEM and not words else ()
    if turned:
        kept = {**options, "wide": {ITEM: tuple(name for name in columns if name not in turned)}}
        problem = f"{listed(turned, most=6)} are high where the others are low: questions put the other way round?"
        return problem, (Meant(kept, "the others alone"), Meant(options, "all as they are"))
    return None


def follower_of(table: Table, columns: Sequence[str]) -> str | None:
    """The one column that never stands alone against all others, as what these came to together does not.

    If it were as theirs each would be the one apart as often: it is one only if that is as good as ruled out.
    """
    k = len(columns)
    if not _FEWEST_TOGETHER <= k <= _MOST_TOGETHER:
        return None
    texts = ", ".join(f"trim({table.sql(name)}::VARCHAR)" for name in columns)
    rows = table.few(*columns) or table.opened.relation.project(texts).limit(_MOST_ASKED).fetchall()
    times = Counter(
        row.index(word)
        for row in rows
        if all(row) and len({*row}) == len(("all", "one"))
        for word in row
        if row.count(word) == 1
    )
    never = [name for place, name in enumerate(columns) if place not in times]
    ruled_out = k * (1 - 1 / k) ** times.total() < _BY_CHANCE
    return never[0] if len(never) == 1 and ruled_out else None


def _are_codes(table: Table, columns: Sequence[str]) -> bool:
    """Whether numbers may be codes: of coders, who give more than two."""
    coders = all({*words_of(name)} & {"coder", "coding"} for name in columns)
    return coders and all(table.column(name).whole for name in columns) and table.column(columns[0]).distinct > 2


def _apart(table: Table, columns: Sequence[str]) -> bool:
    """Whether criteria are measured, by broken numbers, or less is better of some: they have no mean of their own."""
    less = [is_less(name) for name in columns]
    return len({*less}) > 1 or any(table.column(name).numeric and not table.column(name).whole for name in columns)


def _turned(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Questions whose answers are high where those to the others are low, as of a scale that is put both ways."""
    values = ", ".join(f"TRY_CAST({table.sql(name)} AS DOUBLE)" for name in columns)
    rows = np.array(table.opened.relation.project(values).limit(_MOST_ASKED).fetchall(), dtype=float)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) < _FEWEST_ASKED or len(columns) < _FEWEST_QUESTIONS or (np.ptp(rows, axis=0) == 0).any():
        return ()
    alike = np.corrcoef(rows, rowvar=False)
    above = np.linalg.eigh(alike)[1][:, -1] > 0
    few = min((above, ~above), key=lambda side: (side.sum(), side[0]))
    clear = few.sum() > 1 and (alike[np.ix_(few, ~few)] < -_CHANCE / np.sqrt(len(rows))).mean() > 1 / 2
    return tuple(np.array(columns)[few].tolist()) if clear else ()


def judges_of_one(free: Sequence[Column]) -> list[Column]:
    """Columns of judges by names that end alike, such as ``rater1_domain1`` and ``rater2_domain1``."""
    named = [(words_of(one.name), one) for one in free]
    judges = [(parts[2:], one) for parts, one in named if len(parts) > 2 and is_judge(" ".join(parts[:2]))]
    return [one for _, one in judges] if len(judges) > 1 and all(end == judges[0][0] for end, _ in judges) else []


def models_that_judge(free: Sequence[Column]) -> list[Column]:
    """Columns of models that are called judges, such as ``GPT-4o judge``, beside those of whoever else judged."""
    named = [(words_of(one.name), one) for one in free if one.scored and is_of_machines(one.name)]
    judges = [one for parts, one in named if len(parts) > 1 and parts[-1] in JUDGES_ALONE]
    beside = [one for one in free if is_given(one.name) or is_of_people(one.name)]
    return judges if len(judges) > 1 and beside else []
