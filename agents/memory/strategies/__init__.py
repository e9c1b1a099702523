"""The memory strategies that come with Fallwater, one a module; each module of this folder is loaded."""
