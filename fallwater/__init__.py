"""The public Python interface: a world as an environment for policies of other programs."""
