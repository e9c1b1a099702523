"""The rules of the summary verifier: names, numbers, and who did what to whom."""
