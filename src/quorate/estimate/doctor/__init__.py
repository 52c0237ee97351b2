"""What the data support."""
