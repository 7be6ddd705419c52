"""What `aicx init` puts into files of coding agents, taking it out again, and the hooks that the agents then call."""

STORE = "store-in-background"  # the event by which a hook calls aicx again, in the background
SAVE = "save-in-background"  # and this one by which that calls it for one wish, whose file is named
