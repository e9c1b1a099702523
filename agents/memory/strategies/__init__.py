"""The built-in memory strategies, one a module; each module of this folder is loaded."""
