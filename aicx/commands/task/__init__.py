"""`aicx task`: what is being worked on in a repository."""
