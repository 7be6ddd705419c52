"""What servers share: who may ask, threads that answer, the token, the socket, and words that give nothing away."""
