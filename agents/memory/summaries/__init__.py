"""Making summaries: what a model is asked, in prose or by picking lines, and what is done when it cannot."""
