"""Reading: what stands in a page, a number, a source, a citation."""
