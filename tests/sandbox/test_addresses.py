from __future__ import annotations

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.sandbox.addresses import refusal

REFUSED = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255"),
    *("127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255"),
    *("192.0.0.192", "192.168.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "64:ff9b:1::1"),
]
REACHABLE = [
    *("1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1"),
    *("192.0.2.1", "192.167.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.80", "223.255.255.255"),
    *("2606:4700::1111", "2001:db8::1", "2a00::1"),
]


@pytest.mark.parametrize("address", REFUSED)
def test_the_host_its_neighbours_and_metadata_are_refused(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize("address", REACHABLE)
def test_public_and_documentation_addresses_are_reachable(address: str) -> None:
    assert refusal(address) is None


@given(st.ip_addresses(v=4))
def test_an_address_wrapped_in_another_is_judged_as_itself(address: IPv4Address) -> None:
    number = int(address)
    wrapped = [f"::ffff:{address}", f"64:ff9b::{address}", f"::ffff:0:{address}"]
    wrapped.append(f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1")
    for one in wrapped:
        assert bool(refusal(one)) == bool(refusal(address)), one


def test_the_hosts_own_addresses_are_refused() -> None:
    own = {ip_address("203.0.113.9"), ip_address("2001:db8::9")}
    for address in ("203.0.113.9", "2001:db8::9", "::ffff:203.0.113.9", "64:ff9b::203.0.113.9"):
        assert refusal(address, own) == "an address of the host"
    assert refusal("203.0.113.8", own) is None


def test_what_is_no_address_is_an_error() -> None:
    with pytest.raises(ValueError, match="example"):
        refusal("example.org")
