"""What every door shares: the connection that a session speaks to, and whose input is taken and sent when."""
