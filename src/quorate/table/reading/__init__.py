"""How a table is read of which nobody has said it."""
