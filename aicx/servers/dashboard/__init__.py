"""The dashboard: a page, the answers it asks for over HTTP, and one file that holds it all."""
