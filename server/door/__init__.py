"""Coming in: accounts, passwords, and the dialogue before somebody plays."""
