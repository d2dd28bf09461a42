"""The commands, one a module. Exit codes: 0 done, 1 it failed, 2 used wrongly, 130 interrupted."""
