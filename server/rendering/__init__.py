"""What one player sees: wrapped, coloured, or whole lines for who listens."""
