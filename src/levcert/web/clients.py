"""Who a client is: shares and limits are counted for each address, or each network of IPv6."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address


def client_of(host: str | None) -> str:
    """Return the name under which an address is counted; one IPv6 customer has a network of 2^64 addresses."""
    try:
        address = ip_address((host or "").partition("%")[0])
    except ValueError:
        return host or "unknown"
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))
