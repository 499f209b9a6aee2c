"""Which addresses the way out of a sandbox refuses: the host itself, its neighbours, and metadata services.

The ranges are listed one by one: the notion of "private" that libraries have also covers the documentation ranges,
to which package registries resolve on some closed networks.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

_REFUSED: dict[IPv4Network | IPv6Network, str] = {
    ip_network(network): what
    for network, what in {
        "0.0.0.0/8": "the unspecified address",
        "10.0.0.0/8": "a private address",
        "100.64.0.0/10": "a carrier's private address",
        "127.0.0.0/8": "a loopback address",
        "168.63.129.16/32": "a metadata service",
        "169.254.0.0/16": "a link-local address",
        "172.16.0.0/12": "a private address",
        "192.0.0.0/24": "a metadata service",
        "192.168.0.0/16": "a private address",
        "224.0.0.0/4": "a multicast address",
        "240.0.0.0/4": "a reserved or broadcast address",
        "::/128": "the unspecified address",
        "::1/128": "a loopback address",
        "64:ff9b:1::/48": "a private address",
        "2001::/32": "a tunnelled address",
        "fc00::/7": "a private address",
        "fe80::/10": "a link-local address",
        "fec0::/10": "a private address",
        "ff00::/8": "a multicast address",
    }.items()
}
#: IPv6 ranges that carry an IPv4 address, and by how many bits that has to be shifted down.
_CARRIERS = {
    IPv6Network("::/96"): 0,
    IPv6Network("::ffff:0:0/96"): 0,
    IPv6Network("::ffff:0:0:0/96"): 0,
    IPv6Network("64:ff9b::/96"): 0,
    IPv6Network("2002::/16"): 80,
}


def refusal(address: str | Address, own: Collection[Address] = ()) -> str | None:
    """Return what an address is, where the way out refuses it, or None where it may be reached.

    Args:
        address: The address.
        own: The host's own addresses, refused as well.

    Raises:
        ValueError: It is no address.
    """
    parsed = ip_address(address.partition("%")[0]) if isinstance(address, str) else address
    if parsed in own:
        return "an address of the host"
    for network, what in _REFUSED.items():
        if parsed.version == network.version and parsed in network:
            return what
    if isinstance(parsed, IPv6Address):
        for carrier, shift in _CARRIERS.items():
            if parsed in carrier:
                return refusal(IPv4Address((int(parsed) >> shift) & 0xFFFFFFFF), own)
    return None
