"""The log, the figures, health and the doctor."""
