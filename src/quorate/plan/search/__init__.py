"""Search of designs for the best one."""
