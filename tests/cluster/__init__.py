"""Real hosts made of namespaces, and what is tested on them."""
