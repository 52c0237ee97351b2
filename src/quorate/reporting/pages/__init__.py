"""Pages: one file per result; in it one function per exhibit: rows, finding, chart and headers in this order."""
