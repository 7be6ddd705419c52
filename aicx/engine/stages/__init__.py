"""The stages of a search, in the order in which they run: question, retrieve, order, quote; history and team beside."""
