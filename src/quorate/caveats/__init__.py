"""Caveats: every one that a result can carry, each with the sentence a report prints."""

from quorate.caveats.caveat import Caveat as Caveat
from quorate.caveats.caveat import weightiest_first as weightiest_first
from quorate.caveats.comparisons import *  # noqa: F403 - every caveat of the file, so that none is listed twice
from quorate.caveats.designs import *  # noqa: F403
from quorate.caveats.variances import *  # noqa: F403
