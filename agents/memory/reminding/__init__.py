"""Being reminded: what of the moment brings an older memory or a note to mind."""
