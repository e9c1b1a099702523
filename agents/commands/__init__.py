"""Commands that look into agents, drive their memory, and make, rest and lead them."""
