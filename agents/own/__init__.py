"""Commands about oneself: notes, dreams, goals, and who one is."""
