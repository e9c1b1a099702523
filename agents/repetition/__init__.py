"""Repetition: the detection of agents that go in circles, and the ways out of them."""
