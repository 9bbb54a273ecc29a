"""An HTTP proxy in front of a service: it can delay requests, and drop or alter responses."""

import collections
import contextlib
import http.client
import http.server
import json
import socketserver
import sys
import threading

HOP_BY_HOP = ("connection", "content-length", "transfer-encoding")


def forward_all(route, request):
    """An override of a proxy that forwards every request."""


def refused(operations, **error):
    """The response that refuses each of the operations."""
    names = [operation["record"]["recordName"] for operation in operations]
    return 200, {"records": [{"recordName": name, **error} for name in names]}


class InterceptingProxy(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Forwards requests to `service`. Its address stays the same when the service restarts."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ProxyHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.service = None
        self.request_count = 0
        # Called with the number of a request before and after it is forwarded.
        self.before_forward = self.after_forward = lambda number: None
        # Makes the body that is sent to the client from the body of the service's response.
        self.alter_body = lambda body: body
        # Returns a status and a JSON object that are sent instead of forwarding a request, or None
        # to forward it. A route is the end of a path, such as `records/modify`.
        self.override = forward_all
        # The number of requests by route, and the path of each request.
        self.route_counts = collections.Counter()
        self.request_paths = []

    @contextlib.contextmanager
    def dropping(self, condition):
        """Drops the responses whose body fulfils a condition."""

        def drop(body):
            if condition(body):
                raise ConnectionResetError
            return body

        former, self.alter_body = self.alter_body, drop
        yield
        self.alter_body = former

    def handle_error(self, request, client_address):
        # Connections break when the service is stopped or a test drops a response.
        if not isinstance(sys.exc_info()[1], (OSError, http.client.HTTPException)):
            super().handle_error(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class ProxyHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent separately: with Nagle's algorithm the body would wait until the head
    # is acknowledged.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        proxy = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        proxy.request_count += 1
        proxy.request_paths.append(self.path)
        number = proxy.request_count
        route = "/".join(self.path.split("?")[0].split("/")[-2:])
        proxy.route_counts[route] += 1
        proxy.before_forward(number)
        override = proxy.override(route, json.loads(body or b"{}"))
        if override is not None:
            status, content = override
            self.send_response_body(
                status, [("Content-Type", "application/json")], json.dumps(content).encode()
            )
            return
        connection = http.client.HTTPConnection("127.0.0.1", proxy.service.port, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(self.command, self.path, skip_host=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            response_body = proxy.alter_body(response.read())
        proxy.after_forward(number)
        self.send_response_body(response.status, response.getheaders(), response_body)

    do_POST = do_GET

    def send_response_body(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
