"""What is worth telling of what happened in a world, found by rule."""
