"""The doctor: looks at a machine and a vault, and says in plain sentences what is wrong and what to do about it."""
