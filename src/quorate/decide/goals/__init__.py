"""Goals: studies that state what is to be known and the most it may cost, and buy judgments until it is."""
