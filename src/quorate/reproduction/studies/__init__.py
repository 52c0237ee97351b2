"""Studies by paper: ``tee``, ``cyclic``, ``lee``, ``budget``."""
