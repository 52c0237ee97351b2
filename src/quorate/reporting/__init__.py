"""Reporting: from results to what people read: a sentence, figures, and one file to share.

report  one registry from a type of result to its page, one from the ending of a path to its printer
page    pages, sections, figures and captions, as values
pages   what each result says
draw    marks and colours of charts
print   a page as a file of each format, and on a terminal
export  judgments in the formats of others
paper   what a methods section needs: paragraph, checklist, study record, what it takes to do it again
"""
