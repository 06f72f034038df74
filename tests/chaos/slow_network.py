# SPDX-License-Identifier: Apache-2.0
"""A network with delay and reordering.

The kernel's netem does this. If netem is missing, a program between a host's link and the bridge forwards each frame,
and delays the frames that leave the host.
"""

import contextlib
import heapq
import random
import select
import socket
import subprocess
import sys
import time

# The delay in seconds of a frame that leaves a host is drawn for each frame, so that later frames overtake earlier
# ones.
DELAYS = (0.15, 0.25)
# From linux/if_packet.h. The header before each frame says which checksums and segments are still missing.
SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
SO_RCVBUFFORCE = 33
ALL_PROTOCOLS = 3
LARGEST_FRAME = 1 << 17
BUFFER = 16 << 20
PAIR = ("{}d", "{}b")  # the end of the link at the program, and the end at the bridge


def _ip(*words, check=True):
    subprocess.run(["ip", "link", *words], check=check, capture_output=True)


@contextlib.contextmanager
def _delayed(host):
    link, bridge = host.veth, host.bench.run.bridge
    near, far = (name.format(link) for name in PAIR)
    _ip("del", near, check=False)  # left by a killed run with the same number
    _ip("add", near, "type", "veth", "peer", "name", far)
    try:
        _ip("set", near, "up")
        _ip("set", far, "master", bridge, "up")
        _ip("set", link, "nomaster")
        with subprocess.Popen([sys.executable, __file__, link, near], stdout=subprocess.PIPE) as relay:
            try:
                assert relay.stdout.readline(), "the relay of the slow network does not start"
                yield
                assert relay.poll() is None, "the relay of the slow network has ended"
            finally:
                relay.kill()
    finally:
        _ip("del", near, check=False)
        _ip("set", link, "master", bridge)


@contextlib.contextmanager
def slow_network(machines):
    """Delays each frame between two hosts by 150 to 250 ms, so that an answer takes about 400 ms."""
    with contextlib.ExitStack() as stack:
        for machine in machines:
            stack.enter_context(_delayed(machine.host))
        yield


def _opened(link):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    opened.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    opened.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    opened.bind((link, 0))
    opened.setblocking(False)
    return opened


def _frames(source):
    """Returns the frames that have arrived; none if the link is down."""
    with contextlib.suppress(OSError):
        while True:
            yield source.recv(LARGEST_FRAME)


def _pass_on(target, frame):
    with contextlib.suppress(OSError):  # a link that is full or down drops the frame
        target.send(frame)


def relay(host_link, bridge_link):
    """Forwards frames until it is killed."""
    host, bridge = _opened(host_link), _opened(bridge_link)
    print("ready", flush=True)
    waiting, count = [], 0
    while True:
        rest = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        select.select([host, bridge], [], [], rest)
        for frame in _frames(bridge):
            _pass_on(host, frame)
        for frame in _frames(host):
            count += 1
            heapq.heappush(waiting, (time.monotonic() + random.uniform(*DELAYS), count, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _pass_on(bridge, heapq.heappop(waiting)[2])


if __name__ == "__main__":
    relay(*sys.argv[1:])
