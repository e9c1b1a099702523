"""Views of a mind as dictionaries for JSON, used by the page and by commands."""
