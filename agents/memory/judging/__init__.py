"""What a summary may claim and how it has to look: the parts of the gate."""
