"""Tests of memory: the partition, the summaries and the gate before them."""
