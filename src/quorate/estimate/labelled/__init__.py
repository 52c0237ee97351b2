"""Boards by the votes of people on some battles and of judges on all."""
