"""What is shown of a mind, as plain dictionaries that JSON can hold: a page and the commands show the same."""
