"""Long experiments, each with the record of its runs beside it."""
