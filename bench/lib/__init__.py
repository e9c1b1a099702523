"""What several measurements need: no measurement itself."""
