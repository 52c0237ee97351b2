"""Certificate of an answer: studies drawn like its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options.groups import For, Group

if TYPE_CHECKING:
    from quorate.analysis.certificates.certificate import Certificate
    from quorate.reporting.page import Section


@dataclass(frozen=True, kw_only=True)
class Certifying(Group):
    """How many studies are drawn to see what such intervals do."""

    certify: Annotated[
        int | None,
        For("scores"),
        typer.Option(
            metavar="N",
            help="Draw N studies like this one, 2000 say, and tell how often such intervals hold the truth.",
        ),
    ] = None

    def certificate(self, answer: Any) -> Certificate | None:
        """The certificate of an answer; None where none is asked for."""
        if self.certify is None:
            return None
        from quorate.analysis.certificates.certify import certify

        return certify(answer, self.certify)


def certified(found: Certificate | None) -> list[Section]:
    """A certificate as a section of the page."""
    if found is None:
        return []
    from quorate.reporting.pages.certificate import section

    return [section(found)]


def as_more(found: Certificate | None) -> dict[str, Any]:
    """A certificate as an entry of JSON."""
    return {} if found is None else {"certificate": found.to_dict()}
