"""The folders of simulations: looked at, and compared."""
