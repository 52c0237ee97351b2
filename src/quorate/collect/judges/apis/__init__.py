"""Forms in which models behind endpoints are asked and answer."""
