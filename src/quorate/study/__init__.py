"""Studies: a file that says what is to be judged, by whom, in which words and for how much, carried out."""
