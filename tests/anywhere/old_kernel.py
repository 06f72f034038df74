# SPDX-License-Identifier: Apache-2.0
"""Simulates Linux 4.18 for a process and its children: system calls of newer kernels return ENOSYS.

System calls that are newer than 4.18 have the same number on every architecture: 424 (pidfd_send_signal, of 5.1) or
more. Examples are pidfd_open, clone3, close_range, openat2, faccessat2 and epoll_pwait2. statx, of 4.11, is refused,
too, as by the filters of container runtimes of that time.
"""

import ctypes
import errno
import platform
import struct

FIRST_NEW = 424
STATX = {"x86_64": 332, "aarch64": 291}
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
LOAD, AT_LEAST, EQUAL, RETURN = 0x20, 0x35, 0x15, 0x06  # bpf(2)'s classic instructions
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    """The C structure sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def _instruction(code, value, on_true=0, on_false=0):
    return struct.pack("HBBI", code, on_true, on_false, value)


def play():
    """Installs the filter for the rest of the process's life."""
    instructions = ctypes.create_string_buffer(b"".join((
        _instruction(LOAD, 0),  # loads the number of the system call
        _instruction(AT_LEAST, FIRST_NEW, on_true=2),
        _instruction(EQUAL, STATX[platform.machine()], on_true=1),
        _instruction(RETURN, ALLOW),
        _instruction(RETURN, FAIL | errno.ENOSYS))))
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(5, ctypes.addressof(instructions))
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0):
        raise OSError(ctypes.get_errno(), "cannot filter system calls")
