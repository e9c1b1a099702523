"""Administration: the commands of admins and the audit log."""
