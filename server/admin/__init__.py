"""Running a world: the commands of admins, the log of their use, and the sub-commands on a vault."""
