"""Where components come from, and what facets stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options.declared import Declared, targets
from quorate.cli.options.groups import Group, option, spelled
from quorate.cli.options.reading import ScoreReading
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.exchange.encoding import ordinary

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.estimate.means.targets import Target
    from quorate.table.judgments import Judgments


# Published or assumed components from a JSON file.


EXAMPLE = '{"random": {"item": 0.01, "item:judge": 0.02}, "sensitivity": {"judge": 0.0005}}'
_MAPS = {"random": "terms to variances", "sensitivity": "terms to variances", "nested": "facets to facets"}


def components_from(path: Path) -> Components:
    """Components of a file that looks like `EXAMPLE`.

    Raises
    ------
    InvalidInput
        If the file cannot be read or does not hold that.
    """
    from quorate.estimate.components.published import components

    try:
        # whole numbers too long for a float become infinite, which components() refuses by name
        content = json.loads(ordinary(path).read_text(encoding="utf-8-sig"), parse_int=float)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: is not UTF-8 text") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path}: is not JSON ({error}); expects components such as {EXAMPLE}") from error
    if not isinstance(content, dict) or "random" not in content or set(content) - set(_MAPS):
        raise InvalidInput(f"{path}: expects components such as {EXAMPLE}")
    for part, entries in content.items():
        if not isinstance(entries, dict):
            raise InvalidInput(f'{path}: "{part}" must map {_MAPS[part]}, such as in {EXAMPLE}')
    try:
        return components(content["random"], sensitivity=content.get("sensitivity"), nested=content.get("nested"))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


SourceFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Judgments, as for analyze; or components as JSON: "
        '{"random": {"item": 0.01, ...}, "sensitivity": {"judge": 0.0005}}.',
    ),
]


def source(
    file: Path, reading: ScoreReading, fit: Declared, *, also: Path | None = None
) -> Components | Decomposition | LatentDecomposition:
    """Components from a JSON file, else fitted to the judgments of any other.

    ``also`` is another file of judgments that the options of reading are for.

    Raises
    ------
    InvalidInput
        If the file is not as it should be, or components come with options that say how judgments are read or fitted.
    """
    if file.suffix.lower() != ".json":
        return fitted(reading.judgments(file), fit)
    for group in [reading, fit] if also is None else [fit]:
        for name in group.given():
            raise InvalidInput(
                f"{spelled(type(group), name)}: for judgments, and {file} holds components; leave it out"
            )
    return components_from(file)


def fitted(judgments: Judgments, fit: Declared) -> Decomposition | LatentDecomposition:
    """The fit that is asked for; of log odds by PIRLS, as `quorate analyze` has it."""
    quick = "link" in fit.given() and "method" not in fit.given()
    found: Decomposition | LatentDecomposition = fit(judgments, **({"method": "pirls"} if quick else {}))
    return found


def planned_source(
    file: Path, reading: ScoreReading, fit: Declared, asked: Mapping[str, Target], *, also: Path | None = None
) -> Components | Decomposition | LatentDecomposition | SystemDifference:
    """What designs are planned for: of a file of several systems the difference of two, the closest of more.

    It is that for others like the study where its levels allow, as the mean of one system is. With a target of systems
    it is the mean over all of them.

    Raises
    ------
    InvalidInput
        As for `source`, and if an option is given that is for one mean.
    """
    from quorate.estimate.differences.difference import by_mean, closest
    from quorate.roles import SYSTEM

    if file.suffix.lower() == ".json" or "link" in fit.given() or SYSTEM in asked:
        return source(file, reading, fit, also=also)
    judgments = reading.judgments(file)
    if SYSTEM not in judgments.names or judgments.object == SYSTEM or len(by_mean(judgments)) < 2:
        return fitted(judgments, fit)
    model = fit.arguments()
    if "method" in model:
        raise InvalidInput("--method: is of one mean; ask for that of all systems with --target system=panel")
    found = closest(judgments, targets=asked, **model)
    return found.others or found


def table_of(planned: Components | Decomposition | LatentDecomposition | SystemDifference) -> Judgments | None:
    """The judgments that a source was fitted to, for the particulars of a page; None of components."""
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference

    if isinstance(planned, Components):
        return None
    return planned.fit.judgments if isinstance(planned, SystemDifference) else planned.judgments


@dataclass(frozen=True, kw_only=True)
class Targets(Group):
    """What facets stand for."""

    target: list[str] | None = option(
        "ROLE=TARGET",
        "What a facet stands for: population, panel, finite, sensitivity or pool(K), such as judge=panel. "
        "Judges stand for judges like these where the judgments tell.",
        of="scores",
    )

    def asked(self) -> dict[str, Target]:
        """The targets asked for."""
        return targets("--target", self.target or [])
