"""Certificates and what checks them."""
