"""The files of an agent's memory: journals, summaries, facts and archives."""
