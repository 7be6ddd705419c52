"""The review lane: what is suggested to be kept, the steps that a person takes, and patches for instruction files."""
