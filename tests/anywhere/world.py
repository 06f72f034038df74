# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a root directory and a separate network, with the name servers of a spec.

    unshare --net --mount python3 world.py SPEC.json

The spec has "root", "argv", "servers" (see dns_server.py), "listen" (addresses whose port 6443 accepts connections and
closes them) and "ipv6_only". Prints as JSON: "exit", "output", "queries" in order, and "reached": the listening
addresses to which the program connected. For "old_kernel" see old_kernel.py.
"""

import json
import os
import socket
import subprocess
import sys
import threading

import old_kernel
from dns_server import Server

PORT = 6443


def listen(address, reached):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.bind((address, PORT))
    listening.listen()

    def hang_up():
        while True:
            listening.accept()[0].close()
            reached.append(address)

    threading.Thread(target=hang_up, daemon=True).start()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if spec.get("ipv6_only"):
        subprocess.run(["ip", "-4", "address", "flush", "dev", "lo"], check=True)
    queries, reached = [], []
    for server in spec["servers"]:
        Server(server, queries)
    for address in spec["listen"]:
        listen(address, reached)
    if spec.get("old_kernel"):  # Python installs the filter there, and reads /proc and /dev
        for place in ("proc", "dev"):
            os.makedirs(os.path.join(spec["root"], place), exist_ok=True)
            subprocess.run(["mount", "--rbind", f"/{place}", os.path.join(spec["root"], place)], check=True)
    done = subprocess.run(["/usr/sbin/chroot", spec["root"], *spec["argv"]], capture_output=True, text=True, check=False,
                          env={}, timeout=60, preexec_fn=old_kernel.play if spec.get("old_kernel") else None)
    json.dump({"exit": done.returncode, "output": done.stdout + done.stderr, "queries": queries,
               "reached": sorted(set(reached))}, sys.stdout)


if __name__ == "__main__":
    main()
