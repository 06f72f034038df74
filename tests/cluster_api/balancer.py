# SPDX-License-Identifier: Apache-2.0
"""A load balancer for API servers: forwards connections to those that answer /readyz."""

import asyncio
import contextlib
import itertools
import ssl
import threading

PORT = 6443
PAUSE = 2  # seconds between two checks
TIMEOUT = 3  # seconds for a check, and for connecting
MISSES = 3  # checks without an answer after which a backend's connections are closed


class Balancer:
    """Listens on ADDRESS:6443 in a thread of its own. Forwards to the same port of the addresses in `backends`, which
    may be changed at any time."""

    def __init__(self, address):
        self.address = address
        self.backends = set()
        self.ready = set()
        self._misses = {}
        self._turns = itertools.count()
        self._open = {}  # address of a backend → the tasks that forward to it
        self._tls = ssl._create_unverified_context()
        self._loop = asyncio.new_event_loop()
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._listens.wait(10), f"cannot listen on {address}:{PORT}"

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._accept, self.address, PORT))
        self._loop.create_task(self._check_all())
        self._listens.set()
        self._loop.run_forever()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _check_all(self):
        while True:
            addresses = sorted(self.backends)
            answers = await asyncio.gather(*map(self._is_ready, addresses))
            self._misses = {address: 0 if answer else self._misses.get(address, MISSES) + 1
                            for address, answer in zip(addresses, answers, strict=True)}
            self.ready = {address for address, misses in self._misses.items() if misses < MISSES}
            for address in set(self._open) - self.ready:
                for task in self._open.pop(address):
                    task.cancel()
            await asyncio.sleep(PAUSE)

    async def _is_ready(self, address):
        try:
            async with asyncio.timeout(TIMEOUT):
                reader, writer = await asyncio.open_connection(address, PORT, ssl=self._tls)
                writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
                answer = await reader.readline()
                writer.close()
                return b" 200 " in answer
        except (OSError, TimeoutError):
            return False

    async def _accept(self, reader, writer):
        addresses = sorted(self.ready)
        turn = next(self._turns)
        for place in range(len(addresses)):
            address = addresses[(turn + place) % len(addresses)]
            try:
                async with asyncio.timeout(TIMEOUT):
                    backend = await asyncio.open_connection(address, PORT)
                break
            except (OSError, TimeoutError):
                continue
        else:
            writer.close()
            return
        task = asyncio.current_task()
        tasks = self._open.setdefault(address, set())
        tasks.add(task)
        try:
            await self._join((reader, writer), backend)
        finally:
            tasks.discard(task)

    @staticmethod
    async def _join(client, backend):
        """Copies in both directions until one side ends."""
        pumps = [asyncio.ensure_future(_copy(reader, writer))
                 for (reader, _), (_, writer) in ((client, backend), (backend, client))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            client[1].close()
            backend[1].close()


async def _copy(reader, writer):
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
