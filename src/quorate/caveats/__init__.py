"""Caveats: every one that a result can carry, each with the sentence a report prints.

- `caveat`: a code and a sentence, and which matter most.
- `variances`: of components, means and the spread of items; `designs`: of what to buy, judges, replays.
- `sources`: of files of other tools.
- `comparisons`: of votes, verdicts, ratings and labels; `regressions`: of regressions, turns and chains of agents.
"""

from quorate.caveats.caveat import Caveat as Caveat
from quorate.caveats.caveat import weightiest_first as weightiest_first
from quorate.caveats.comparisons import *  # noqa: F403 - every caveat of the file, so that none is listed twice
from quorate.caveats.designs import *  # noqa: F403
from quorate.caveats.regressions import *  # noqa: F403
from quorate.caveats.sources import *  # noqa: F403
from quorate.caveats.variances import *  # noqa: F403
