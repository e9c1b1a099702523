"""Language models: one narrow protocol, Ollama and an embedded model behind it, and the queue before them."""
