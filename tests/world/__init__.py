"""The rules of the place, played with pencil and paper."""
