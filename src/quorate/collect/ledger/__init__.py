"""The ledger: what was planned, asked, answered and paid."""
