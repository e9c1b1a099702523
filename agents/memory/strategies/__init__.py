"""Memory strategies; each module of this folder is loaded."""
