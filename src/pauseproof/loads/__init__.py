"""Jobs and their collectives as flows, and the load they put on links."""
