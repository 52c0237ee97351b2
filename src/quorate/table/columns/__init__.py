"""Which column plays which role, and what its labels mean."""
