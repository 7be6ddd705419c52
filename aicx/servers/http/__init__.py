"""What both servers share: request checks, worker threads, the token, the socket, error texts without local paths."""
