"""The command line: parse, call one public function, print."""

from quorate.cli.entry import main

__all__ = ["main"]
