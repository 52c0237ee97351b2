from __future__ import annotations

from typing import get_args

from quorate.planning.designs.names import LAYOUTS, LayoutName, all_layouts


def test_every_name_has_its_words():
    assert tuple(LAYOUTS) == get_args(LayoutName)
    assert all(f"{name}, " in all_layouts() for name in LAYOUTS)
    assert "{" not in all_layouts()
