"""From results to what people read: a sentence, figures, and one file to share."""
