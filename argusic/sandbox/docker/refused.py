"""The system calls that the engine has the kernel refuse to a whole container, as its seccomp profile. Pure.

A container here starts without any capability, so that most of what acts on the whole machine is refused anyway. This
list takes away the calls themselves, so that a fault of the kernel in one of them cannot be reached: mounting, kernel
modules, other namespaces, the kernel's own programs, and files by handle. The engine's own profile cannot be used: it
also refuses the user namespace that the first process makes. Once that is made, `argusic.sandbox.calls` refuses
further ones.
"""

from __future__ import annotations

import json
from typing import Final

_NAMES: Final = (
    *("acct", "quotactl", "quotactl_fd", "swapon", "swapoff", "reboot", "vhangup", "syslog"),
    *("adjtimex", "clock_adjtime", "clock_settime", "settimeofday", "stime"),
    *("bpf", "perf_event_open", "userfaultfd", "lookup_dcookie", "fanotify_init"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("create_module", "delete_module", "finit_module", "init_module", "query_module", "get_kernel_syms"),
    *("kexec_load", "kexec_file_load"),
    *("iopl", "ioperm", "vm86", "vm86old"),
    *("mbind", "migrate_pages", "move_pages", "set_mempolicy", "set_mempolicy_home_node"),
    *("mount", "umount", "umount2", "pivot_root", "chroot", "mount_setattr", "move_mount", "open_tree"),
    *("fsconfig", "fsmount", "fsopen", "fspick", "statmount", "listmount"),
    *("name_to_handle_at", "open_by_handle_at"),
    *("nfsservctl", "setns", "uselib", "ustat", "sysfs", "_sysctl", "sethostname", "setdomainname"),
)
#: Each machine with the others whose programs it runs: what is not listed the kernel would kill.
_MACHINES: Final = {
    "SCMP_ARCH_X86_64": ("SCMP_ARCH_X86", "SCMP_ARCH_X32"),
    "SCMP_ARCH_AARCH64": ("SCMP_ARCH_ARM",),
    "SCMP_ARCH_RISCV64": (),
}


def profile() -> str:
    """Return the profile as engines take it."""
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ALLOW",
            "archMap": [{"architecture": name, "subArchitectures": list(also)} for name, also in _MACHINES.items()],
            "syscalls": [{"names": list(_NAMES), "action": "SCMP_ACT_ERRNO"}],
        }
    )
