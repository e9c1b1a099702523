"""An agent's memory: a verbatim tail, a short-term and a long-term summary that cover everything."""
