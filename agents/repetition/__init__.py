"""Repetition: an agent that goes in circles is noticed, and led out of them."""
