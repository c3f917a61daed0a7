"""What is cabled: nodes, ports, links, lanes, and the place in the input where each was read."""
