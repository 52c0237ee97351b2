"""Data frames in the caller's own library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal

from numpy.typing import NDArray

from quorate.errors import InvalidInput

Library = Literal["polars", "pandas", "pyarrow"]

LIBRARIES: tuple[Library, ...] = ("polars", "pandas", "pyarrow")
"""Frame libraries in the order they are looked for."""


def frame(columns: Mapping[str, Sequence[Any] | NDArray[Any]], backend: str | None = None) -> Any:
    """A data frame with these columns, in the library the data came in.

    Parameters
    ----------
    columns : mapping of str to sequence
        Name to values, all of one length.
    backend : str, optional
        ``polars``, ``pandas`` or ``pyarrow``. Without it, the first of them that is installed.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table

    Raises
    ------
    InvalidInput
        If the library is not known or not installed.

    Examples
    --------
    >>> frame({"judge": ["a", "b"], "mean": [7.1, 6.8]}, "polars").columns
    ['judge', 'mean']
    """
    library = _first_installed() if backend is None else _known(backend)
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=library).to_native()


def _known(backend: str) -> Library:
    for library in LIBRARIES:
        if library == backend:
            if find_spec(library) is None:
                raise InvalidInput(f"backend: {library} is not installed; pip install {library}")
            return library
    raise InvalidInput(f'backend: expects one of {", ".join(LIBRARIES)}, got "{backend}"')


def _first_installed() -> Library:
    for library in LIBRARIES:
        if find_spec(library) is not None:
            return library
    raise InvalidInput("backend: a data frame needs polars, pandas or pyarrow; pip install polars")
