"""The vault: Markdown notes, read into dataclasses and written back."""
