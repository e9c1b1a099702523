"""Commands that inspect agents, control their memory, and manage them; and those about oneself."""
