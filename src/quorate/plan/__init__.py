"""Plans: what a design would give before it is paid for."""
