"""The way out of a sandbox: its supervisor hands out a listening socket, and the host's proxy serves it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial
from ipaddress import ip_address

import psutil

from argusic.sandbox.addresses import Address, refusal
from argusic.sandbox.connections import ConnectionLimits
from argusic.sandbox.proxy import Proxy
from argusic.sandbox.supervised.link import Link
from argusic.sandbox.upstream import Upstream

#: The port of the way out, on the loopback inside: above those that the kernel hands out by itself.
PROXY_PORT = 61184
#: What a sandbox with this way out lacks.
NO_RAW_NETWORK = "The outside is reached through an HTTP proxy alone: no other TCP, no UDP, no name resolution."


def open_way_out(link: Link) -> Proxy:
    """Open the way out of a sandbox and return what serves it, to be stopped with the sandbox."""
    (listener,) = link.order("listen", port=PROXY_PORT)
    refuse = partial(refusal, own=own_addresses())
    proxy = Proxy(socket.socket(fileno=listener), refuse, Upstream(dict(os.environ)), ConnectionLimits.affordable())
    proxy.start()
    return proxy


def own_addresses() -> set[Address]:
    """Return the addresses of this host."""
    found: set[Address] = set()
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            with suppress(ValueError):  # A hardware address.
                found.add(ip_address(one.address.partition("%")[0]))
    return found
