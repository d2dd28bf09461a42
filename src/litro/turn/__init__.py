"""Turns: the machine that decides, the runner that carries out."""
