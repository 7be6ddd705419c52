"""The write path of `aicx store`: from the logs that changed to chunks in the store."""
