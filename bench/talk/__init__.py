"""The bench of talk: scenes with reference answers, played through the engine."""
