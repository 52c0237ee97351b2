"""Results as plain values, for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from quorate.estimate.means.targets import Pool


def plain(value: object) -> Any:
    """Dictionaries, lists, numbers, text and None: what JSON can hold.

    Numbers that are not finite become None, since JSON has no word for them.

    Examples
    --------
    >>> plain({"se": float("nan"), "levels": ("a", "b")})
    {'se': None, 'levels': ['a', 'b']}
    """
    if isinstance(value, Pool):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (tuple, list, frozenset, set)):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
