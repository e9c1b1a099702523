"""Tests of closing and opening again."""
