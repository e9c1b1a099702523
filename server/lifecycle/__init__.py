"""Shutdown, restart, and the restore of sessions after a restart."""
