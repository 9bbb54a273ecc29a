"""Where all requests to a service pass, so that one can be held, and its answer lost or altered."""

import collections
import contextlib
import http.client
import http.server
import json
import socketserver
import sys
import threading

HOP_BY_HOP = ("connection", "content-length", "transfer-encoding")


class Gate(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Where all requests to the service pass; its address outlives the service's."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), GateKeeper)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.service = None
        self.count = 0
        # Done before and after a request is passed on, with its number.
        self.before = self.after = lambda number: None
        # What becomes of an answer's body.
        self.alter = lambda body: body
        # A status and an object in the place of the service's answer to a request, which is passed
        # on otherwise: where this says None. A route is the end of a path: `records/modify`.
        self.lie = lambda route, request: None
        # How many requests there were, by route.
        self.routes = collections.Counter()

    def handle_error(self, request, client_address):
        # A device whose service is away goes away, too.
        if not isinstance(sys.exc_info()[1], (OSError, http.client.HTTPException)):
            super().handle_error(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class GateKeeper(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent apart: the second would wait for an acknowledgement of the first.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        gate = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        gate.count += 1
        number = gate.count
        route = "/".join(self.path.split("?")[0].split("/")[-2:])
        gate.routes[route] += 1
        gate.before(number)
        lie = gate.lie(route, json.loads(body or b"{}"))
        if lie is not None:
            status, content = lie
            self.answer(
                status, [("Content-Type", "application/json")], json.dumps(content).encode()
            )
            return
        connection = http.client.HTTPConnection("127.0.0.1", gate.service.port, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(self.command, self.path, skip_host=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            text = gate.alter(answer.read())
        gate.after(number)
        self.answer(answer.status, answer.getheaders(), text)

    do_POST = do_GET

    def answer(self, status, headers, text):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
