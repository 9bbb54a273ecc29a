"""Several servers on one PostgreSQL database, for the scripts that use them as if they were one."""

import concurrent.futures
import itertools

from service import Service


class Cluster:
    """Servers behind a balancer that forwards each request to the next one.

    Its other attributes, such as the commands of the operator, are those of the first server.
    """

    def __init__(self, count, *options, variables=None, log=None):
        self.servers = [Service(*options, variables=variables, log=log) for _ in range(count)]
        self.turns = itertools.cycle(self.servers)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.__exit__()

    def __getattr__(self, name):
        return getattr(self.servers[0], name)

    @property
    def port(self):
        return next(self.turns).port

    def start(self):
        """Starts all servers at the same time, at the ports that they had before."""
        with concurrent.futures.ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(lambda server: server.start(getattr(server, "port", 0)), self.servers))
        # The API token is printed by the server that made it.
        (token,) = {server.api_token for server in self.servers if len(server.api_token) == 64}
        for server in self.servers:
            server.api_token = token

    def stop(self):
        for server in self.servers:
            server.stop()

    def ended(self):
        """The servers that have ended without being stopped, as text."""
        return [
            f"server {number} ended with {server.process.returncode}"
            for number, server in enumerate(self.servers)
            if server.process.poll() is not None
        ]
