"""Monitoring of a running world: log, metrics and health checks."""
