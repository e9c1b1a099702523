"""Programs that look for trouble by themselves, for as long as one lets them; not a part of `make test`."""
