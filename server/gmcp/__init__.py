"""What clients are told besides text, and what they tell: GMCP, a module a subject."""
