"""Vega, Vega-Lite and vega-embed as one script, kept beside the page that it draws charts in.

Putting the script together takes longer than the rest of a page, and it is the same for one version of vl-convert; it
is a file of the package. ``python -m quorate.reporting.print.bundle`` writes it anew, as ``make pins`` does.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

NAME = "vega.js"
NOTICE = (
    "/* Vega {0}, Vega-Lite and vega-embed {1}, as bundled by vl-convert. BSD-3-Clause, Copyright (c) University of "
    "Washington Interactive Data Lab and contributors. */\n"
)


@cache
def script() -> str:
    """The script of the package, to stand in a page."""
    return files("quorate.reporting").joinpath("print", NAME).read_text(encoding="utf-8")


def made() -> str:
    """The script as the installed vl-convert makes it; nothing in it ends a script element."""
    import vl_convert

    notice = NOTICE.format(vl_convert.get_vega_version(), vl_convert.get_vega_embed_version())
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return notice + str(bundle).replace("</script", "<\\/script")


if __name__ == "__main__":
    Path(__file__).with_name(NAME).write_text(made(), encoding="utf-8", newline="")
