"""Writes derived indexes from chunks it is handed; knows nothing of agents or sessions."""
