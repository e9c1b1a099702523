"""What is saved when, and taking in what is edited meanwhile."""
