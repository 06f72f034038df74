# SPDX-License-Identifier: Apache-2.0
"""Three etcd members as processes on 127.0.0.1, and a client that writes while they are replaced."""

import base64
import http.client
import json
import shutil
import signal
import subprocess
import threading
import time

NAMES = ("one", "two", "three")
BEYOND_THE_LOG = 16_000  # number of changes; etcd keeps 10000 to 15000 for members that are down


def _b64(text):
    return base64.b64encode(text.encode()).decode()


class Refused(Exception):
    """etcd answered with an error, or did not answer."""


class Member:
    """A member with its ports, its data and its process."""

    def __init__(self, name, port, directory):
        self.name, self.port, self.directory = name, port, directory
        self.data, self.log = directory / name, directory / f"{name}.log"
        self.peer, self.client = f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1:{port}"
        self.process = None
        self.program = None

    def start(self, program, cluster, state="new"):
        self.program = program
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [program, f"--name={self.name}", f"--data-dir={self.data}", f"--listen-client-urls={self.client}",
                 f"--advertise-client-urls={self.client}", f"--listen-peer-urls={self.peer}",
                 f"--initial-advertise-peer-urls={self.peer}", f"--initial-cluster={cluster}",
                 f"--initial-cluster-state={state}", "--snapshot-count=10000", "--unsafe-no-fsync"],
                stdout=log, stderr=log)

    def stop(self, with_signal=signal.SIGTERM):
        self.process.send_signal(with_signal)
        self.process.wait(30)

    def call(self, path, body=None, timeout=10):
        """Calls etcd's JSON gateway. Raises Refused if the call fails."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", f"/v3/{path}", json.dumps(body or {}))
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise Refused(f"{self.name}: {path}: {text.decode()}")
            return json.loads(text)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Refused(f"{self.name}: {path}: {error}") from error
        finally:
            connection.close()

    def status(self):
        return self.call("maintenance/status")

    def took_a_snapshot(self):
        return '"msg":"applied incoming Raft snapshot"' in self.log.read_text(errors="replace")


class Writer(threading.Thread):
    """Writes keys one after the other, each to any member that accepts it. Records the acknowledged keys."""

    def __init__(self, members):
        super().__init__(daemon=True)
        self.members, self.taken, self.longest_gap, self.ended = members, [], 0.0, threading.Event()

    def run(self):
        number, last = 0, time.monotonic()
        while not self.ended.is_set():
            key = f"writer/{number}"
            try:
                self.members[number % len(self.members)].call("kv/put", {"key": _b64(key), "value": _b64("x")}, timeout=2)
                self.taken.append(key)
                self.longest_gap = max(self.longest_gap, time.monotonic() - last)
                last = time.monotonic()
            except Refused:
                pass
            number += 1
            time.sleep(0.005)

    def end(self):
        self.ended.set()
        self.join(20)


class Lab:
    """A cluster of three members, created as kubeadm does: first one member, then learners that are promoted."""

    def __init__(self, directory, program, port):
        self.members = {name: Member(name, port + 10 * place, directory) for place, name in enumerate(NAMES)}
        self.writer = None
        try:
            self._make(program)
        except BaseException:
            self.close()
            raise

    def _make(self, program):
        first, *others = self.members.values()
        cluster = f"{first.name}={first.peer}"
        first.start(program, cluster)
        self.wait_for(first)
        for member in others:
            cluster += f",{member.name}={member.peer}"
            self._join(first, member, program, cluster)
        self.cluster = cluster

    def _join(self, through, member, program, cluster):
        asked = {"peerURLs": [member.peer], "isLearner": True}
        added = self.until(lambda: through.call("cluster/member/add", asked))["member"]["ID"]
        member.start(program, cluster, "existing")
        self.until(lambda: through.call("cluster/member/promote", {"ID": added}), 180)
        self.wait_for(member)

    def until(self, attempt, seconds=30):
        """Repeats the attempt until it does not raise Refused. After `seconds`, raises the last Refused."""
        end = time.monotonic() + seconds
        while True:
            try:
                return attempt()
            except Refused:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def wait_for(self, member, seconds=180):
        """Waits until the member can read through the leader. Raises Refused if the member ends or the time is over."""
        def attempt():
            if member.process.poll() is not None:
                raise Refused(f"{member.name} ended with {member.process.returncode}")
            return member.call("kv/range", {"key": _b64("any")})
        return self.until(attempt, seconds)

    def renew(self, name, program):
        """Removes a member. Another member without data joins in its place, and runs `program`."""
        member, other = self.members[name], next(each for each in self.members.values() if each.name != name)
        self.until(lambda: other.call("cluster/member/remove", {"ID": member.status()["header"]["member_id"]}))
        member.process.wait(30)
        shutil.rmtree(member.data)
        self._join(other, member, program, self.cluster)

    def write(self):
        self.writer = Writer(list(self.members.values()))
        self.writer.start()

    def start(self, name, program):
        self.members[name].start(program, self.cluster, "existing")

    def replace(self, name, program):
        """Stops a member, and starts it again with another program. Raises Refused if it does not serve afterwards."""
        self.members[name].stop()
        self.start(name, program)
        self.wait_for(self.members[name])

    def leader(self):
        for member in self.members.values():
            try:
                status = member.status()
            except Refused:
                continue
            if status["leader"] == status["header"]["member_id"]:
                return member.name
        raise Refused("no leader")

    def lead(self, name):
        """Transfers the leadership to that member."""
        def attempt():
            if self.leader() != name:
                target = self.members[name].status()["header"]["member_id"]
                self.members[self.leader()].call("maintenance/transfer-leadership", {"targetID": target})
            if self.leader() != name:
                raise Refused("not yet")
        self.until(attempt, 30)

    def outgrow_the_log(self, through):
        """Writes more changes than the leader's log keeps, so that a member that is down needs a snapshot."""
        def put(part):
            connection = http.client.HTTPConnection("127.0.0.1", self.members[through].port, timeout=30)
            for number in range(part, BEYOND_THE_LOG, 16):
                connection.request("POST", "/v3/kv/put", json.dumps({"key": _b64(f"bulk/{number % 500}"), "value": _b64("y")}))
                connection.getresponse().read()
            connection.close()
        threads = [threading.Thread(target=put, args=(part,)) for part in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def versions(self):
        return {name: member.status()["version"] for name, member in self.members.items()}

    def check(self):
        """Checks that all members have every acknowledged write, the same member list, and the same data."""
        self.writer.end()
        listed = {}
        for name, member in self.members.items():
            self.wait_for(member)
            keys = member.call("kv/range", {"key": _b64("writer/"), "range_end": _b64("writer0"), "keys_only": True})
            have = {base64.b64decode(row["key"]).decode() for row in keys.get("kvs", [])}
            missing = set(self.writer.taken) - have
            assert not missing, f"{name} lacks {len(missing)} of {len(self.writer.taken)} writes"
            listed[name] = sorted((row["name"], row.get("isLearner", False))
                                  for row in member.call("cluster/member/list")["members"])
        assert list(listed.values()) == [sorted((name, False) for name in NAMES)] * 3, listed
        self.until(self._same_hash)

    def _same_hash(self):
        hashes = {member.call("maintenance/hashkv", {"revision": 0})["hash"] for member in self.members.values()}
        if len(hashes) != 1:
            raise Refused(f"hashes differ: {hashes}")

    def close(self):
        if self.writer:
            self.writer.end()
        for member in self.members.values():
            if member.process and member.process.poll() is None:
                member.process.kill()
                member.process.wait()
