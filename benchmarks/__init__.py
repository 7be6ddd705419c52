"""Measurements that print. None of them is a test: the suite asserts behaviour, these report figures."""
