"""Options in groups, each declared once: a command names the groups that it takes.

- `groups`: dataclasses as groups, and the decorator that expands them.
- `values`: names, pairs, numbers and prices that a text stands for.
- `reading`: how a file of scores or votes is read; `roles_file`: the same, kept in a file.
- `people`: who the people are that judges are compared with.
- `systems`: which systems are compared; `asked`: what is asked of votes on two systems, or on all pairs.
- `designs`: where components come from (`components_file` reads published ones), and what facets stand for.
- `prices`: what calls, items and prompts cost.
- `fit`: how a model is fitted and intervals are drawn.
- `certificate`: studies drawn like the one at hand.
- `output`: JSON or text, and the files that are written.
"""

from quorate.cli.options.designs import (
    CategoryItems,
    CategoryShares,
    SourceFile,
    Targets,
    category_items,
    category_shares,
    planned_source,
    source,
    table_of,
)
from quorate.cli.options.fit import MODEL, SEED, Fit, Level, Linked, Power, Seed, SeedOrNone
from quorate.cli.options.groups import For, Group, command, only
from quorate.cli.options.output import Files, Output, StudyRecord
from quorate.cli.options.people import Labelled, People, Wanted
from quorate.cli.options.prices import Prices
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
from quorate.cli.options.systems import Systems
from quorate.cli.options.values import counts, grid, names, pairs

__all__ = [
    "MODEL",
    "SEED",
    "UNSCALED",
    "CategoryItems",
    "CategoryShares",
    "File",
    "Files",
    "Fit",
    "For",
    "Group",
    "Labelled",
    "Level",
    "Linked",
    "Output",
    "People",
    "Power",
    "Prices",
    "Reading",
    "ScoreReading",
    "ScoresFile",
    "Seed",
    "SeedOrNone",
    "SourceFile",
    "StudyRecord",
    "Systems",
    "Targets",
    "VoteReading",
    "VotesFile",
    "Wanted",
    "category_items",
    "category_shares",
    "command",
    "counts",
    "grid",
    "names",
    "only",
    "pairs",
    "planned_source",
    "role_of",
    "source",
    "table_of",
]
