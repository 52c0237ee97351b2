"""Lee (2026), how many human judgments are enough."""
