"""Agreement with people inside every system: what is left of it where it does not count how far systems differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from quorate.arrays import Floats, Ints, dense, first_of_each
from quorate.caveats import Caveat, systems_differ
from quorate.estimate.agreement.rates import ALONE
from quorate.estimate.agreement.rightness import Rightness, judged_units
from quorate.frozen import dataclass
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes
from quorate.wording import Brief

APART = 0.05
"""By how much agreement inside systems must be less than that over all for it to be said."""


@dataclass(frozen=True)
class Within(Brief):
    """How far judges agree with people on the responses of one system, on average over systems.

    Parameters
    ----------
    systems : int
        How many there are.
    measure : {"correlation", "kappa"}
        Of marks about the means of their system; of verdicts beyond what chance has in their system.
    judges : mapping of str to float
        By judge; nan where nothing varies inside systems.
    """

    systems: int
    measure: Literal["correlation", "kappa"]
    judges: Mapping[str, float]

    def caveats(self, over_all: Mapping[str, float]) -> tuple[Caveat, ...]:
        """That agreement over all is more than inside systems: of the judge of whom this is most so."""
        more = {judge: over_all[judge] - inside for judge, inside in self.judges.items() if judge in over_all}
        known = {judge: gap for judge, gap in more.items() if gap > APART}
        if not known:
            return ()
        most = max(known, key=lambda judge: known[judge])
        what = f"the {self.measure} of {most} with people"
        return (systems_differ(self.systems, what, over_all[most], self.judges[most]),)


def systems_of(table: Judgments | Votes, units: Sequence[str]) -> Ints | None:
    """Whose response every unit is, coded from 0; None where units are of several systems, or there is one."""
    if isinstance(table, Votes) or SYSTEM not in table.ancestors(table.object):
        return None
    _, names, of, _ = judged_units(table)
    own = dict(zip(names, table.column(SYSTEM)[first_of_each(of)].tolist(), strict=True))
    found = dense(np.array([own[name] for name in units], dtype=np.int64))
    return found if found.max(initial=0) else None


def correlation_within(given: Floats, said: Floats, system: Ints) -> float:
    """Correlation of marks about the means of their system; nan where nothing varies there."""
    known = ~np.isnan(given - said)
    system = dense(system[known])
    x, y = (_about_means(one[known], system) for one in (given, said))
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size > 0 else np.nan


def _about_means(values: Floats, group: Ints) -> Floats:
    return np.asarray(values - (np.bincount(group, values) / np.bincount(group))[group])


def kappas_within(seen: Rightness, system: Ints) -> Within:
    """Cohen's kappa of every judge with people where chance is that of each system's verdicts."""
    people, judges, out = np.eye(len(seen.names))[seen.label], seen.judges or (ALONE,), {}
    for place, judge in enumerate(judges):
        said = seen.verdicts(np.flatnonzero(seen.judge == place))
        known = ~np.isnan(said).any(axis=1)
        own, theirs, of = said[known], people[known], dense(system[known])
        chance = 0.0
        for code in range(int(of.max(initial=-1)) + 1):
            some = of == code
            chance += float(own[some].mean(axis=0) @ theirs[some].mean(axis=0)) * float(some.mean())
        right = float((own * theirs).sum(axis=1).mean()) if len(own) else np.nan
        out[judge] = (right - chance) / (1 - chance) if chance < 1 else np.nan
    return Within(int(system.max()) + 1, "kappa", out)
