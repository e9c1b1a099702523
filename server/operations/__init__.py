"""What whoever runs a world watches it by: the log, figures, health, and a doctor for machine and vault."""
