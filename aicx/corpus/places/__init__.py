"""Where sessions happened: which repository a working folder belongs to, from all that is known of it."""
