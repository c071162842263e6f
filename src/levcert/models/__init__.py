"""Classifiers that are sums over windows, and the constants that bound them."""
