"""What is needed to do an analysis again: versions, input and its hash, options, seeds, command, date."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import scrubbed, shown
from quorate.frozen import dataclass
from quorate.table.judgments import Judgments
from quorate.table.measured import MeasuredFile

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.reporting.paper.record import Record
    from quorate.table.facets import Source
    from quorate.table.votes import Votes

_DIGITS = 9


@dataclass(frozen=True)
class Provenance:
    """Where a report comes from.

    Parameters
    ----------
    command : str, optional
        Command line.
    seed : int, optional
        Root of the random numbers, where there are any.
    note : str, optional
        What a reader must know before anything else.
    """

    command: str | None = None
    seed: int | str | None = None
    note: str | None = None

    def entries(self, source: Mapping[str, str], options: str, record: Mapping[str, str]) -> dict[str, str]:
        """Everything needed to do it again, by name."""
        entries = {
            **made_with(),
            **source,
            "options": options,
            "command": called(self.command),
            "seed": seed_used(self.seed),
            **record,
        }
        return {name: value for name, value in entries.items() if value}


def source_of_analysis(analysis: Analysis) -> dict[str, str]:
    """What was read, and what it was taken for."""
    judgments, assembled = analysis.judgments, analysis.fit.assembled
    facets = []
    for facet in judgments.facets:
        kind = "fixed" if facet.fixed else "random"
        inside = f", in {shown(facet.parent)}" if facet.parent else ""
        facets.append(f"{shown(facet.name)} ({kind}, {judgments.n_levels(facet.name):,} levels{inside})")
    random = [shown(":".join(term)) for term in assembled.model.random] + ["cell"] * assembled.model.cell
    fixed = [shown(name) for name in (*assembled.model.fixed, *assembled.model.covariates)]
    chosen = f"; fixed: {', '.join(fixed)}" if fixed else ""
    strata = ", ".join(shown(name) for name in assembled.residual_levels or ())
    own = f"; residuals by level: {strata}" if strata else ""
    return {
        **read_from(judgments),
        "facets": "; ".join(facets),
        "model": f"random: {', '.join(random)}{chosen}{own}",
        "estimator": _estimator(analysis.fit),
    }


def _estimator(fit: Decomposition) -> str:
    known = not math.isnan(fit.criterion)
    return f"{fit.method.upper()}, " + (f"criterion {fit.criterion:.6f}" if known else "criterion not computed")


def made_with() -> dict[str, str]:
    """What computed it, and when."""
    return {**_installed(), "date of the analysis": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"}


@cache  # a version stands in a file that takes longer to parse than a page to write
def _installed() -> dict[str, str]:
    return {
        "software": f"quorate {version('quorate')}",
        "run with": f"Python {platform.python_version()}, numpy {version('numpy')}, scipy {version('scipy')}",
    }


def read_from(table: Judgments | Votes | MeasuredFile) -> dict[str, str]:
    """What was read, and what its columns were taken for."""
    read = {**_input(table.source), "columns": _columns(table.notes)}
    if not isinstance(table, Judgments):
        return read
    what = "labels" if table.labels else "scores"
    known = f"{fingerprint(table)} ({what} by cell; any order of rows or format)"
    return {**read, "SHA-256 of the judgments": known, "labels": ", ".join(map(shown, table.labels))}


def called(command: str | None) -> str:
    """The command line, without what opens doors."""
    return shown(scrubbed(command), 1000) if command else "not run from the command line"


def seed_used(seed: int | str | None) -> str:
    """The seed given; without one, whatever is drawn comes from streams of the package's own, always the same."""
    return "fixed: the same input gives the same figures" if seed is None else str(seed)


def titled(source: Source, otherwise: str) -> str:
    """A title: the file's name; where there is none, the kind of table, after ``otherwise``."""
    return shown(PurePath(scrubbed(source.name)).name) if source.sha256 else f"{otherwise} {shown(source.name)}"


def fingerprint(judgments: Judgments) -> str:
    """SHA-256 of the scores by cell, the same for the same judgments in any file format and any order of rows.

    Hashed are roles, labels, nesting, and of every cell its labels, statuses, number of answers, their mean, sum of
    squares and range; computed numbers to nine digits, because engines add in different orders.
    """
    digest = sha256(b"quorate judgments 1")
    for facet in judgments.facets:
        for text in (facet.name, facet.parent or "", str(len(facet.levels)), *facet.levels):
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
    digest.update(np.ascontiguousarray(judgments.codes, dtype="<i4").tobytes())
    for name in sorted(judgments.status):
        digest.update(name.encode() + np.ascontiguousarray(judgments.status[name], dtype="<i8").tobytes())
    for values in (judgments.n, judgments.low, judgments.high):
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    size = np.maximum(np.abs(judgments.low), np.abs(judgments.high))
    for values, scale in ((judgments.mean, size), (judgments.ss, judgments.n * size**2)):
        ratio = np.nan_to_num(np.divide(values, np.where(scale > 0, scale, 1.0)), nan=-1.0)  # -1: nothing there
        digest.update(np.rint(ratio * 10**_DIGITS).astype("<i8").tobytes())
    for label in judgments.labels:
        encoded = label.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def _input(source: Source) -> dict[str, str]:
    digest = source.sha256 or "none: not read from a file"
    paid = {"paid for it": source.paid} if source.paid else {}
    return {"input": shown(scrubbed(source.name), 300), "SHA-256 of the input": digest, **paid}


def _columns(notes: Sequence[str]) -> str:
    return "; ".join(shown(one, 300) for one in notes) or "as declared"


def options_of(analysis: Analysis) -> str:
    """What was chosen."""
    given = {"price": analysis.price, "half-width asked": analysis.asked}
    rest = [f"{name} {value:g}" for name, value in given.items() if value is not None]
    return ", ".join([f"method {analysis.fit.method}", f"level {analysis.level:g}", *rest])


def recorded(record: Record | None) -> dict[str, str]:
    """The study record, by name."""
    if record is None or not record.entries:
        return {}
    seed = record.says("seed")
    return {
        "study record": shown(scrubbed(record.source), 300),
        "SHA-256 of the record": record.sha256 or "none: not read from a file",
        "seed of record": "" if seed is None else str(seed),
    }
