"""Making summaries: prompts, abstractive and extractive summarizing, and rebuilds."""
