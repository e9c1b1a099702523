"""Notes and journals on real files, with disks that fail when told to."""
