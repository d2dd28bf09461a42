"""From a folder to loaded agents: first paths alone, then imports."""
