"""The site: built as a whole, served while it is written, opened."""
