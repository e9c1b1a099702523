"""What an agent knows for certain: learnt by rule from its memories, kept in `facts.md`, and told by relevance."""
