"""The agents, who live here by themselves: their memory, their thinking and their choice of a command."""
