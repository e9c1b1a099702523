"""What agents remember, file by file: journals, summaries, facts and archives."""
