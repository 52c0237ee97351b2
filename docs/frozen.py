"""What the site is built with: classes declared by `quorate.frozen` are dataclasses, whose parameters pages show."""

from __future__ import annotations

from typing import Any

import griffe


class Frozen(griffe.Extension):
    """Names the original, which is the only one that griffe knows."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """See each module before its classes are looked at."""
        modules = [pkg]
        while modules:
            module = modules.pop()
            declared = module.members.get("dataclass")
            if declared is not None and declared.is_alias and declared.target_path == "quorate.frozen.dataclass":
                declared.target_path = "dataclasses.dataclass"
            modules += [one for one in module.modules.values() if not one.is_alias]
