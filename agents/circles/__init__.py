"""Going in circles: how it is noticed, and what leads out."""
