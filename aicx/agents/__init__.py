"""The texts that `aicx init` puts into files of agents, taking them out again, and the hooks that agents call."""

STORE = "store-in-background"  # the event by which a hook calls aicx again, in the background
SAVE = "save-in-background"  # and this one by which that calls it for one wish, whose file is named
# The lanes of `aicx init --recall`, and the event of each, at which a hook says nothing most of the time.
LANES = {"prompt": "user-prompt", "command": "post-tool", "edit": "pre-tool"}
