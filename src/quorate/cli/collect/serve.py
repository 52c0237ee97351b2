"""`quorate serve`: a study's pages, for people who are its judges and for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.collect.quoting import StudyFile
from quorate.cli.console import console, say, whole
from quorate.cli.options import Output, command, only

if TYPE_CHECKING:
    from quorate.web.serve import Opened


@command
def serve(
    study: StudyFile,
    port: Annotated[int, typer.Option(help="Port of the pages.")] = 8000,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address that is listened at.")] = "127.0.0.1",
    public: Annotated[
        bool, typer.Option("--public", help="Let other machines reach the pages, which are not encrypted.")
    ] = False,
    links: Annotated[
        bool, typer.Option("--links", help="Make and show new links for everybody; the old ones end.")
    ] = False,
    link: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Make and show a new link for one, who has lost theirs; repeat for others."),
    ] = None,
    *,
    _out: Annotated[Output, only("debug")],
) -> int:
    """Serve a study's pages to people who judge and to its owner.

    They are there until Ctrl-C. Every seat has a link of its own, shown once; the ledger holds a hash of it. Answers
    are in the study's ledger at once, beside those of models, and nothing is lost if the server is stopped.
    """
    from quorate.web.serve import SELF
    from quorate.web.serve import serve as serve_pages

    def show(opened: Opened) -> None:
        out = console()
        if opened.links:
            say(out, "One link for each; they are not shown again." + " Those from before end." * opened.replaced)
            for name, address in opened.links.items():
                whole(out, f"  {name or SELF}: {address}")
        say(out, f"Pages at http://{host}:{port} until Ctrl-C.")
        if public:
            say(out, "Other machines can reach them, and what they send is not encrypted.")

    serve_pages(study, port=port, host=host, public=public, links=links or link or (), on_start=show)
    return 0
