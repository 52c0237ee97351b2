"""`quorate compare` and `rank`: verdicts and leaderboards, from scores or from votes."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Annotated, Any

from quorate.cli import options
from quorate.cli.options import command, grid, of, only, operand, option, source
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.cli.options.reading import with_column
from quorate.cli.options.systems import Pair
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.roles import SYSTEM

OWN = of("quorate.decide.compare:compare", "a", "b")


@command
def compare(
    file: options.File,
    a: str | None = operand("A", "A system; the verdict is about it. Needed where there are more than two."),
    b: str | None = operand("B", "The system it is compared with."),
    *,
    own: Annotated[options.Declared, OWN],
    within: options.Within,
    prices: Annotated[options.Prices, only("judge_price")],
    certifying: Certifying,
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Is A better than B? The verdict, and what would decide.

    Better, worse, equivalent within --margin, or undecided, from the scores of both or from votes between them. Ends
    with exit code 2 if what is claimed is not shown. Without A and B, all pairs of systems, as quorate rank tells them
    apart; exit code 2 if one is undecided. A file of two systems needs no names, and of two files A is the first. With
    --claim it is a gate: the verdict begins with PASS or FAIL.
    """
    from quorate.decide.compare import the_two

    if (a is None) != (b is None):
        raise InvalidInput(f'A, B: give both systems, or neither for all pairs, got "{a or b}" alone')
    about = SYSTEM if own.value("system") is None else ""
    table: Any = within.told_apart(reading.measured(file, own, within, prices, certifying, about=about))
    two = (a, b) if a is not None else the_two(table, own.value("system"), own.value("claim")) or ()
    costs = prices.prices()
    if not two and costs:
        raise InvalidInput("--judge-price: is for two systems; name two")
    if not two and certifying.certify is not None:
        raise InvalidInput("--certify: is for two systems; name two")
    found = own(table, *two, **({"prices": costs} if costs else {}))
    certificate = certifying.certificate(found)
    out.show(found, files, table, also=certified(certificate), **as_more(certificate))
    return int(found.exit_code)


@command
def monitor(
    file: options.VotesFile,
    a: str | None = operand("A", "The system that is to be better."),
    b: str | None = operand("B", "The system that it is compared with."),
    *,
    own: Annotated[options.Declared, of("quorate.decide.stop:monitor", "a", "b")],
    within: options.Within,
    reading: options.VoteReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Whether votes still coming in already decide.

    Look as often as you like. Of A and B, in the order of time, or of the rows; of all systems quorate rank --watch
    says so. Ends with exit code 0 if A is better, or equal within --margin; 2 if it is worse, or votes are still
    needed.
    """
    votes = reading.votes(file)
    if (a is None) != (b is None):
        raise InvalidInput("A, B: give both systems, or neither")
    pair = Pair(a=a, b=b, within=within.within).completed(votes)
    if pair.systems is None:
        raise InvalidInput("A, B: name the two systems; which order of all is sure is said by quorate rank --watch")
    found = own(pair.of(votes, ("A", "B")), *pair.systems)
    out.show(found, files, votes)
    return int(found.exit_code)


@command
def rank(
    file: options.File,
    own: Annotated[options.Declared, of("quorate.estimate.ratings.rank:rank", "random", "method", "residual_by")],
    within: options.Within,
    elo: bool = option("", "Votes: points of the Elo scale, 1000 on average.", default=False, of="votes"),
    *,
    certifying: Certifying,
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """A leaderboard: ranks, ratings and intervals.

    From scores: means, with intervals that count judges and prompts. From votes: Bradley-Terry ratings. Ranks hold for
    all systems at once; with --watch, at all times at once. Ends with exit code 2 if no system is surely better than
    another.
    """
    from quorate.estimate.ratings.categories import Boards
    from quorate.estimate.ratings.ratings import Ratings
    from quorate.table.votes import Votes

    if certifying.certify is not None and "by" in own.given():
        raise InvalidInput("--certify: is for one board; leave out --by")
    counted, covariates = not own.value("fragility"), own.value("covariates") or ()
    about = SYSTEM if own.value("system") is None else ""
    table = reading.measured(file, own, within, certifying, covariates=covariates, counted=counted, about=about)
    if elo and not isinstance(table, Votes):
        raise InvalidInput("--elo: for votes, and this file has scores; leave it out")
    found: Any = own(within.told_apart(table))
    shown = found.elo() if elo and isinstance(found, (Ratings, Boards)) else found
    certificate = certifying.certificate(found)
    also = certified(certificate)
    out.show(shown, files, table, also=also, **as_more(certificate))
    return int(shown.exit_code)


@command
def pipelines(
    file: options.File,
    people: options.People,
    own: Annotated[options.Declared, of("quorate.simulate.pipelines.pipelines:pipelines")],
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Leaderboards by judges: error bars that count them.

    How far a leaderboard by judges would move with other judges, prompts and orders: error bars over battles alone,
    and over judges, prompts and orders like these too, for one cell of them and for the mean of all; with people, the
    correlation of each leaderboard with theirs.
    """
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, own.value("key"))
    own.refuse_other("votes" if isinstance(judged, Votes) else "scores")
    found = own(judged, theirs)
    notes = with_column(judged.notes, "people", None if people.people else people.human_label)
    out.show(found, files, judged, seed=own.value("seed"), notes=notes)
    return 0


MOST_DESIGNS = 400


@dataclass(frozen=True, kw_only=True)
class Designs(options.Group):
    """Designs of the benchmark."""

    prompts: str | None = option("NUMBERS", "Prompts of the designs, such as 1,3,5. Default: 1 and all.")
    judges: str | None = option("NUMBERS", "Judges of the designs, such as 1-3. Default: 1 and all.")

    def designs(self) -> list[dict[str, Any]] | None:
        """Designs of so many prompts by so many judges; None where neither is given."""
        asked = {"judges": self.judges, "prompts": self.prompts}
        counts = {name: grid(f"--{name}", text) for name, text in asked.items() if text is not None}
        most = prod(map(len, counts.values()))
        if most > MOST_DESIGNS:
            raise InvalidInput(f"--{next(iter(counts))}: {most:,} designs, more than {MOST_DESIGNS}; take larger steps")
        return [dict(zip(counts, one, strict=True)) for one in product(*counts.values())] if counts else None


@command
def gaming(
    file: options.SourceFile,
    own: Annotated[options.Declared, of("quorate.decide.gaming:gaming", "resamples", k="--tries")],
    designs: Designs,
    prices: Annotated[options.Prices, only("price", "judge_price", "item_price", "prompt_price")],
    fit: Annotated[options.Declared, options.MODEL],
    reading: Annotated[options.ScoreReading, options.UNSCALED],
    files: options.Files,
    out: options.Output,
) -> int:
    """What the best of many submissions gains by luck.

    For designs of the benchmark with fewer or more prompts and judges: how far above the truth the best of K equally
    good attempts is expected to stand, and which change takes most of that away for what it costs.
    """
    from quorate.estimate.components.decomposition import Decomposition

    surface, costs = designs.designs(), prices.prices()
    fitted = source(file, reading, fit)
    found = own(fitted, designs=surface, prices=costs)
    judgments = fitted.judgments if isinstance(fitted, Decomposition) else None
    out.show(found, files, judgments, seed=own.value("rng"))
    return 0
