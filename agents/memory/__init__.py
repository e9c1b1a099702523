"""What an agent remembers: a verbatim tail, a short-term and a long-term summary that together leave nothing out."""
