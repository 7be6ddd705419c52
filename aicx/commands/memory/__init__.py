"""`aicx memory`: what may be believed, why, and who said so."""
