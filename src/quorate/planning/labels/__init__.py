"""Labels of people and predictions of judges: how many of each to buy."""
