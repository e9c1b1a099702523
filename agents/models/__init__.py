"""Language models: one protocol, its implementations, and the model queue."""
