"""Options in groups, each declared once: a command names the groups that it takes."""

from quorate.cli.options.declared import LINKED, MODEL, Declared, of
from quorate.cli.options.designs import SourceFile, Targets, planned_source, source, table_of
from quorate.cli.options.groups import (
    SEED,
    For,
    Group,
    Level,
    Prices,
    Seed,
    command,
    counts,
    grid,
    names,
    only,
    operand,
    option,
    pairs,
)
from quorate.cli.options.output import Files, Output, StudyRecord
from quorate.cli.options.people import Labelled, People
from quorate.cli.options.reading import (
    UNSCALED,
    File,
    Reading,
    ScoreReading,
    ScoresFile,
    VoteReading,
    VotesFile,
    role_of,
)
from quorate.cli.options.systems import Within

__all__ = [
    "LINKED",
    "MODEL",
    "SEED",
    "UNSCALED",
    "Declared",
    "File",
    "Files",
    "For",
    "Group",
    "Labelled",
    "Level",
    "Output",
    "People",
    "Prices",
    "Reading",
    "ScoreReading",
    "ScoresFile",
    "Seed",
    "SourceFile",
    "StudyRecord",
    "Targets",
    "VoteReading",
    "VotesFile",
    "Within",
    "command",
    "counts",
    "grid",
    "names",
    "of",
    "only",
    "operand",
    "option",
    "pairs",
    "planned_source",
    "role_of",
    "source",
    "table_of",
]
