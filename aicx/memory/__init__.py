"""Trusted memory: records of what may be believed, the events of who decided it, and labels derived from both."""
