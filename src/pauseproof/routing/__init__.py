"""Tables to routes: forwarding tables, next-hop groups, destinations, and who sends what."""
