"""What an agent knows for certain."""
