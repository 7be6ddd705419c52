"""The part that both servers share: request checks, worker threads, token, socket, errors without local paths."""
