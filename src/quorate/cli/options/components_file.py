"""Published or assumed components from a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidInput
from quorate.table.exchange.ordinary import ordinary

if TYPE_CHECKING:
    from quorate.estimate.components.published import Components

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
