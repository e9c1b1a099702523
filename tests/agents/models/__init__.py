"""Tests of the models and of the queue before them."""
