"""Tests of memory: the partition, the summaries and their verifier."""
