"""Commands that look into agents, drive their memory, make, rest and lead them; and those about oneself."""
