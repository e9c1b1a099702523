"""An agent's certain knowledge: extracted from its memories by rule, kept in `facts.md`, and told by relevance."""
