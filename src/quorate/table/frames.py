"""Data frames in the caller's own library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.table.exchange.wide import SCORE, beside_wide

if TYPE_CHECKING:
    import narwhals as nw

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
    import narwhals as nw

    if backend is not None and backend not in LIBRARIES:
        raise InvalidInput(f'backend: expects one of {", ".join(LIBRARIES)}, got "{backend}"')
    if backend is not None and find_spec(backend) is None:
        raise InvalidInput(f"backend: {backend} is not installed; pip install {backend}")
    library = next((name for name in LIBRARIES if find_spec(name) is not None), None) if backend is None else backend
    if library is None:
        raise InvalidInput("backend: a data frame needs polars, pandas or pyarrow; pip install polars")

    return nw.from_dict(dict(columns), backend=library).to_native()


def wrapped(source: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """A caller's frame, of whatever library, as narwhals has it.

    Raises
    ------
    InvalidInput
        If it is no frame, or two of its columns have one name.
    """
    import narwhals as nw

    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(source)
    except TypeError as error:
        kind = type(source).__name__
        raise InvalidInput(f"source: expects a path or a data frame, got {kind}; make a frame of it first") from error
    except nw.exceptions.DuplicateError as error:
        repeated = " ".join(str(error).split()).rpartition(": ")[-1]
        raise InvalidInput(f"source: two columns have one name ({repeated}); rename one") from error
    return frame


def shaped(
    frame: nw.DataFrame[Any] | nw.LazyFrame[Any], wide: tuple[str, tuple[str, ...]] | None, number: str | None
) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """A frame with the number of each row in a column of this name, and a row for each of several columns of scores.

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If rows of a frame that is not in memory are numbered.
    """
    import narwhals as nw

    if number is not None:
        if isinstance(frame, nw.LazyFrame):
            raise InvalidInput("source: rows of a frame that is not in memory have no order; collect it first")
        frame = frame.with_row_index(number).with_columns(nw.col(number) + 1)
    if wide is None:
        return frame
    role, columns = wide
    names = frame.collect_schema().names()
    others = beside_wide(names, role, columns)
    kinds = [frame.collect_schema()[name] for name in columns]
    if not all(kind.is_numeric() for kind in kinds):
        frame = frame.with_columns(nw.col(name).cast(nw.String) for name in columns)
    return frame.unpivot(on=list(columns), index=list(others), variable_name=role, value_name=SCORE)
