"""Tables: the one form in which judgments travel. Knows no statistics."""
