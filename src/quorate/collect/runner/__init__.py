"""The runner: asks judges what a ledger has planned."""
