"""What agents remember, file by file: the lines of journals, summaries, facts and archives."""
