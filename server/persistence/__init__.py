"""What is saved when, and reloading what is edited meanwhile."""
