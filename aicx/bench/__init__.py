"""The benchmark harness: rankers over datasets, all measured the same way. No other command needs it."""
