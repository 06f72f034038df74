# SPDX-License-Identifier: Apache-2.0
"""A proxy from ADDRESS:2379 to 127.0.0.1:2379 that closes some of the connections immediately.

Arguments: ADDRESS, the number of connections that pass first, and the number of connections that are then closed. Later
ones pass. Prints "ready" when it listens, and then a line for each connection: "passed" or "closed".
"""

import itertools
import socket
import sys
import threading

PORT = 2379


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def connect(client):
    server = socket.create_connection(("127.0.0.1", PORT))
    for pair in ((client, server), (server, client)):
        threading.Thread(target=copy, args=pair, daemon=True).start()


def main():
    address, passing, closing = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    listener = socket.create_server((address, PORT))
    print("ready", flush=True)
    for number in itertools.count():
        client, _ = listener.accept()
        closed = passing <= number < passing + closing
        print("closed" if closed else "passed", flush=True)
        if closed:
            client.close()
        else:
            connect(client)


if __name__ == "__main__":
    main()
