"""A result as people read it: tables, a page, a comparison of two."""
