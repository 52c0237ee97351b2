"""Pages about published papers.

- `reproduced`: their figures beside ours, and redrawn.
"""
