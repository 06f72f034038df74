# SPDX-License-Identifier: Apache-2.0
"""A client that sends requests to a cluster continuously during a change."""

import json
import textwrap

from cluster.processes import wait_until

# Sends requests repeatedly, each on a new connection, and records the results, until the file /root/asking is removed.
# If an API server does not answer, sends the request to the next one, as a load balancer does. A request fails if none
# of them answers.
ASKING = textwrap.dedent(
    """
    import base64, itertools, json, pathlib, re, ssl, sys, threading, time, urllib.error, urllib.request
    addresses, writes = json.loads(sys.argv[1]), sys.argv[2] == "writes"
    clients, pause = int(sys.argv[3]), float(sys.argv[4])
    asking = pathlib.Path("/root/asking")
    context = ssl._create_unverified_context()
    if writes:
        config = pathlib.Path("/etc/kubernetes/admin.conf").read_text()
        pair = [re.search(f"client-{part}-data: (\\\\S+)", config)[1] for part in ("certificate", "key")]
        file = pathlib.Path("/root/asking.pem")
        file.touch(0o600)
        file.write_bytes(b"\\n".join(map(base64.b64decode, pair)))
        context.load_cert_chain(file)

    def ask(address, path, **options):
        request = urllib.request.Request(f"https://{address}:6443{path}", **options)
        urllib.request.urlopen(request, context=context, timeout=5).read()

    maps = "/api/v1/namespaces/default/configmaps"
    begin = time.time_ns()  # another client may have written here before

    def name(number):
        return f"asking-{begin}-{number}"

    def write(address, number):
        try:
            ask(address, maps, method="POST", headers={"Content-Type": "application/json"},
                data=json.dumps({"metadata": {"name": name(number)}}).encode())
        except urllib.error.HTTPError as error:
            if error.code != 409:  # an earlier API server wrote it, but its answer was lost
                raise

    def answers(deed):
        for address in addresses:
            try:
                deed(address)
                return True
            except Exception:
                pass
        return False

    def read_back(address, number):
        try:
            ask(address, f"{maps}/{name(number)}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            unread.append(name(number))  # it was acknowledged

    def answered(number):
        if not writes:
            return answers(lambda address: ask(address, "/livez"))
        if not answers(lambda address: write(address, number)):
            return False
        acknowledged.append(name(number))
        return answers(lambda address: read_back(address, number))

    failed, acknowledged, unread = [], [], []
    numbers = itertools.count()

    def ask_on():
        while asking.exists():
            if not answered(next(numbers)):
                failed.append(time.time())
            time.sleep(pause)

    threads = [threading.Thread(target=ask_on) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"asked": next(numbers), "failed": sorted(failed), "acknowledged": acknowledged,
                      "unread": unread}))
    """
)


class Client:
    """Sends requests to the API servers while the `with` block runs. Afterwards, `asked` and `failed` have the results.

    With `writes`, each request creates a ConfigMap and reads it back. `unread` has the acknowledged writes that were
    not found immediately afterwards, and `lost` those that do not exist at the end. `clients` is the number of clients
    that send requests at the same time. Each client pauses for `pause` seconds after a request.
    """

    def __init__(self, host, addresses=(), writes=False, clients=1, pause=0.1):
        self.host = host
        self.addresses = list(addresses) or [host.address]
        self.writes = writes
        self.clients = clients
        self.pause = pause

    def __enter__(self):
        self.host.write("/root/asking", "")
        self.host.write("/root/ask.py", ASKING)
        arguments = f"'{json.dumps(self.addresses)}' {'writes' if self.writes else 'reads'} {self.clients} {self.pause}"
        self.host.run("sh", "-c", f"python3 /root/ask.py {arguments} >/root/asked.json 2>/root/asked.err &")
        return self

    def __exit__(self, *_):
        self.host.run("rm", "/root/asking")
        assert wait_until(lambda: self.host.read("/root/asked.json").strip(), 120), self.host.read("/root/asked.err")
        result = json.loads(self.host.read("/root/asked.json"))
        self.asked = result["asked"]
        self.failed = result["failed"]
        self.unread = result["unread"]
        self.written = set(result["acknowledged"]) if self.writes else set()

    @property
    def outage(self):
        """Returns the seconds from the first failed request to the last one."""
        return self.failed[-1] - self.failed[0] if self.failed else 0

    @property
    def longest_pause(self):
        """Returns the seconds of the longest outage: a series of failed requests with at most 6 s for each API server
        between two failures."""
        longest, begin, before = 0, None, None
        for moment in self.failed:
            if before is None or moment - before > 6 * len(self.addresses):
                begin = moment
            before = moment
            longest = max(longest, moment - begin)
        return longest

    def wait_until_written(self, count, timeout=900):
        """Waits until the cluster has that many of the writes."""
        path = "/api/v1/namespaces/default/configmaps?limit=1"

        def enough():
            page = json.loads(self.host.kubectl("get", "--raw", path))
            return page["metadata"].get("remainingItemCount", 0) >= count

        assert wait_until(enough, timeout, pause=2), f"fewer than {count} writes in {timeout} s"

    def lost(self):
        """Returns the acknowledged writes that are not in the cluster."""
        assert self.written
        there = self.host.kubectl("get", "configmaps", "-o", "name", timeout=60).split()
        return self.written - {name.removeprefix("configmap/") for name in there}
