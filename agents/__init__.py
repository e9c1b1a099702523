"""Those who live here by themselves: they remember, think and choose a command."""
