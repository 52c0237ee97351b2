"""A panel of judges as a scorer of Inspect AI, which asks of each sample only the judges that a layout gives it.

- deal: which judges and prompts a sample gets, from its id alone
- votes: every vote, as it is kept in a score's metadata, and their mean
- error: mean, standard error and interval of what a metric is given
- panel: the scorer and its metric, which Inspect loads by its entry point
"""
