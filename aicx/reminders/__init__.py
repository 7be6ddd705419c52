"""What a hook reminds a session of, unasked: at a prompt, after a failed command and before an edit."""
