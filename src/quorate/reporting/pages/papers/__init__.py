"""Pages about published papers."""
