"""What users and their files see of aicx, byte for byte: help, answers as JSON, and what is kept on disk."""
