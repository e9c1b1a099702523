"""Monitoring a running world: the log, metrics and health."""
