"""Models of ties: how often two systems tie, and what a vote then says of their ratings."""
