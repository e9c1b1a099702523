"""What a summary may claim: names, numbers, and who did what to whom."""
