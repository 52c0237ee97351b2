"""Honest error bars for evaluations scored by judges, and what to buy next.

The verbs of the command line stand here (`read`, `analyze`, `compare`, `rank`, `judges`, `plan`), and the tables and
errors. The rest is said by its field: `quorate.scores`, `quorate.votes`, `quorate.agreement`, `quorate.agents`; types
of
what is returned are in `quorate.types`, simulators in `quorate.simulate`. Names load their module when they are first
used, so that ``import quorate`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.analysis.analyze import analyze as analyze
    from quorate.analysis.certify import certify as certify
    from quorate.analysis.goals.quote import quote as quote
    from quorate.analysis.interim import interim as interim
    from quorate.decide.compare import compare as compare
    from quorate.errors import InvalidData as InvalidData
    from quorate.errors import InvalidInput as InvalidInput
    from quorate.errors import NotConverged as NotConverged
    from quorate.errors import NotEstimable as NotEstimable
    from quorate.errors import QuorateError as QuorateError
    from quorate.errors import UnknownColumn as UnknownColumn
    from quorate.errors import UnknownTerm as UnknownTerm
    from quorate.estimate.components.decompose import decompose as decompose
    from quorate.estimate.components.published import components as components
    from quorate.estimate.diagnostics.diagnose import diagnose as diagnose
    from quorate.estimate.doctor.support import doctor as doctor
    from quorate.estimate.doctor.support import propose as propose
    from quorate.estimate.means.targets import pool as pool
    from quorate.estimate.ratings.rank import rank as rank
    from quorate.estimate.regression.regress import regress as regress
    from quorate.planning.assign import assign as assign
    from quorate.planning.designs.dstudy import project as project
    from quorate.planning.panel.panel import judges as judges
    from quorate.planning.search.optimize import plan as plan
    from quorate.reporting.export import export as export
    from quorate.reporting.paper.writeup import writeup as writeup
    from quorate.reporting.report import report as report
    from quorate.reproduction.reproduce import reproduce as reproduce
    from quorate.study.loop import run as run
    from quorate.study.people import annotation_tasks as annotation_tasks
    from quorate.study.people import take_annotations as take_annotations
    from quorate.study.status import status as status
    from quorate.study.variants import variants as variants
    from quorate.table.judgments import Judgments as Judgments
    from quorate.table.progress import Progress as Progress
    from quorate.table.read import read as read
    from quorate.table.read_votes import read_votes as read_votes
    from quorate.table.votes import Votes as Votes
    from quorate.waiting import watched as watched
    from quorate.web.serve import serve as serve

    __version__: str

_FIELDS = ("agents", "agreement", "scores", "simulate", "types", "votes")

__all__, _named, __dir__ = lazily(__name__)
__all__ += ["__version__"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("quorate")
    if name in _FIELDS:
        return import_module(f"quorate.{name}")
    return _named(name)
