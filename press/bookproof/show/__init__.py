"""Showing: from Markdown to the page that a reader sees."""
