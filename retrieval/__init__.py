"""Ranks passages it is handed against a query; knows nothing of agents or sessions."""
