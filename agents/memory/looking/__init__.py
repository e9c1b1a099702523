"""Looking into a memory: what is in it, where something stands, and what a summary stands for."""
