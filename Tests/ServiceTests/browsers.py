"""Tests the web pages of record-service with Chromium and with w3m.

Chromium runs with scripts disabled, as the pages have none, and once with scripts enabled; it is
controlled by chromedriver through HTTP. w3m runs in a terminal of tmux. The texts of the pages are
checked in both languages. Screenshots are stored if $BROWSERS_SCREENSHOTS names a directory.
"""

import base64
import contextlib
import html
import http.server
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

from device import READER_BINARY, Device
from service import CONTAINER, PASSWORD, Checks, Service, hidden_request, skip, wait_until

PACKAGES = {"chromium": "chromium", "chromedriver": "chromium-driver", "w3m": "w3m", "tmux": "tmux"}
# The key of an element in WebDriver.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB, ENTER, SPACE = "\ue004", "\ue007", " "
# Texts of the pages by language.
WORDS = {
    "vi": {
        "title": "Đăng nhập",
        "wrong": "Tên tài khoản hoặc mật khẩu không đúng.",
        "register": "Đăng ký tài khoản",
        "code": "Mã đăng nhập",
        "other": "English",
        "unregistered": "chưa được đăng ký",
        "done": "Đã tạo tài khoản",
        "needed": "Cần có mã mời",
        "link": "Chưa có tài khoản? Đăng ký",
    },
    "en": {
        "title": "Sign in",
        "wrong": "The account name or the password is wrong.",
        "register": "Register an account",
        "code": "Sign-in code",
        "other": "Tiếng Việt",
        "unregistered": "not registered",
        "done": "Your account was created",
        "needed": "You need an invitation code to register here",
        "link": "No account yet? Register",
    },
}
# The timeouts of waits, and of the start of a browser. Only a program that hangs takes so long.
TIMEOUT, START_TIMEOUT = 60, 180
# Not all text browsers accept more than ASCII in a terminal.
ASCII_PASSWORD = "a long sentence"

checks = Checks()


class Application:
    """A program on this machine to which the sign-in page redirects the browser."""

    def __init__(self):
        self.request_paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.request_paths.append(handler.path)
                # It has an icon, so that the browser does not request one after the server ended.
                body = (
                    b"<!doctype html><title>back</title><link rel=icon href='data:,'>"
                    b"<p>Back in the program.</p>"
                )
                handler.send_response(200)
                handler.send_header("Content-Type", "text/html; charset=utf-8")
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            def log_message(handler, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.path = "/" + secrets.token_urlsafe(16)
        self.callback = f"http://127.0.0.1:{self.server.server_port}{self.path}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def token(self):
        """The web auth token in the redirect."""

        def found():
            for path in self.request_paths:
                parts = urllib.parse.urlsplit(path)
                if parts.path == self.path:
                    return urllib.parse.parse_qs(parts.query).get("ckWebAuthToken", [""])[0]
            return None

        token = wait_until(found, TIMEOUT)
        self.request_paths.clear()
        return token


class Browser:
    """Chromium, controlled through WebDriver."""

    def __init__(self, language, scripts):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        # chromedriver exits if the port that it chose is free for one version of IP only.
        for _ in range(5):
            self.driver = subprocess.Popen(
                ["chromedriver", "--port=0"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            started = re.compile(r"started successfully on port (\d+)")
            port = next(
                (found for line in self.driver.stdout if (found := started.search(line))), 0
            )
            if port:
                break
            self.driver.wait()
        else:
            raise SystemExit("chromedriver did not start")
        self.url = f"http://127.0.0.1:{port.group(1)}"
        preferences = {"intl.accept_languages": language, "intl.selected_languages": language}
        if not scripts:
            preferences["profile.managed_default_content_settings.javascript"] = 2
            preferences["profile.default_content_setting_values.javascript"] = 2
        session = self.send_command(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "goog:chromeOptions": {
                            "args": [
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-dev-shm-usage",
                                "--disable-gpu",
                                "--no-first-run",
                                "--window-size=1280,800",
                                f"--user-data-dir={self.profile}",
                            ],
                            "prefs": preferences,
                            "binary": shutil.which("chromium"),
                        },
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                    }
                }
            },
            START_TIMEOUT,
        )
        self.url += f"/session/{session['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.send_command("DELETE", "")
        # This also ends processes of the browser that are left after its end.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send_command(self, method, path, body=None, seconds=TIMEOUT):
        """Sends a WebDriver request; returns its value."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=json.dumps(body or {}).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:500]) from error

    def open(self, url):
        self.send_command("POST", "/url", {"url": url})

    def find(self, selector):
        return self.send_command("POST", "/element", {"using": "css selector", "value": selector})[
            ELEMENT
        ]

    def retry_while_stale(self, action):
        """Repeats an action while an element is stale or missing.

        Without scripts chromedriver does not wait until a new page has replaced the old one.
        """
        done, failure = [], None

        def attempt():
            nonlocal failure
            try:
                done.append(action())
            except RuntimeError as error:
                if "stale element" not in str(error) and "no such element" not in str(error):
                    raise
                failure = error
            return done

        if not wait_until(attempt, TIMEOUT):
            raise failure
        return done[0]

    def element_command(self, selector, route, method="GET", body=None):
        """Sends a WebDriver request about an element."""
        return self.retry_while_stale(
            lambda: self.send_command(method, f"/element/{self.find(selector)}/{route}", body)
        )

    def text(self, selector="body"):
        return self.element_command(selector, "text")

    def attribute(self, selector, name):
        return self.element_command(selector, f"attribute/{name}")

    def write(self, selector, text):
        self.element_command(selector, "clear", "POST")
        self.element_command(selector, "value", "POST", {"text": text})

    def click(self, selector):
        self.element_command(selector, "click", "POST")

    def follow(self, selector):
        """Clicks an element that leads to another page, and waits for that page."""
        old_page = self.retry_while_stale(lambda: self.find("html"))
        self.click(selector)

        def is_replaced():
            with contextlib.suppress(RuntimeError):
                return self.find("html") != old_page and self.find("body")

        if not wait_until(is_replaced, TIMEOUT):
            raise RuntimeError(f"{selector} led to no other page in {TIMEOUT} s")

    def title(self):
        return self.send_command("GET", "/title")

    def location(self):
        return self.send_command("GET", "/url")

    def press(self, keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.send_command(
            "POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def focused(self):
        """The tag name and the id of the focused element."""
        element = self.send_command("GET", "/element/active")[ELEMENT]
        return (
            self.send_command("GET", f"/element/{element}/name"),
            self.send_command("GET", f"/element/{element}/property/id"),
        )

    def devtools(self, command, **parameters):
        return self.send_command(
            "POST", "/goog/cdp/execute", {"cmd": command, "params": parameters}
        )

    def log(self, kind):
        return self.send_command("POST", "/se/log", {"type": kind})


def fetch_page(url, fields=None, language="vi"):
    """Fetches a page, or submits a form; returns status, headers and text."""
    data = None if fields is None else urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(url, data, {"Accept-Language": language})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def page_url(service, path="/sign-in", **parameters):
    """The URL of a page of the service."""
    return f"{service.url}{path}?" + urllib.parse.urlencode(
        {"ckAPIToken": service.api_token, **parameters}
    )


def check_token(service, token, name, label):
    """Checks that a token is valid, and that it belongs to an account."""
    if not checks.that(
        f"{label}: a token", re.fullmatch(r"[A-Za-z0-9_]{128,}", token or ""), token
    ):
        return
    status, body = service.call("users/caller", token=token, method="GET")
    checks.equal(f"{label}: the token works", status, 200)
    checks.equal(
        f"{label}: the account of the token", body.get("nameComponents", {}).get("givenName"), name
    )


def check_privacy(browser, service, label):
    """Checks that there were no console messages, no cookies and no requests to other hosts."""
    messages = [
        entry["message"]
        for entry in browser.log("browser")
        # Chromium reports the status of forms that are shown again with an error.
        if "the server responded with a status of 4" not in entry["message"]
    ]
    checks.equal(f"{label}: the console is empty", messages, [])
    checks.equal(f"{label}: no cookie", browser.send_command("GET", "/cookie"), [])
    hosts, cookies = set(), []
    for entry in browser.log("performance"):
        event = json.loads(entry["message"])["message"]
        if event["method"] == "Network.requestWillBeSent":
            url = urllib.parse.urlsplit(event["params"]["request"]["url"])
            if url.scheme not in ("data", "about", "chrome"):
                hosts.add(url.hostname)
        headers = (
            event["params"].get("headers")
            or (event["params"].get("response") or {}).get("headers")
            or {}
        )
        cookies += [name for name in headers if name.lower() == "set-cookie"]
    checks.that(f"{label}: requests only to this machine", hosts <= {"127.0.0.1"}, hosts)
    checks.equal(f"{label}: no cookie is set", cookies, [])


# Chromium


def sign_in_pages(browser, service, language, label):
    """Signs in with a redirect to a program, after failed attempts."""
    words = WORDS[language]
    with Application() as application:
        browser.open(page_url(service, callback=application.callback))
        checks.equal(f"{label}: the title", browser.title(), words["title"])
        checks.equal(f"{label}: the language", browser.attribute("html", "lang"), language)
        text = browser.text()
        for part in ("Quran-vi", CONTAINER, urllib.parse.urlsplit(application.callback).netloc):
            checks.that(f"{label}: the page contains {part}", part in text, text)
        browser.write("#name", "An Nguyễn")
        browser.write("#password", "sai mật khẩu rồi")
        browser.follow("button")
        wrong_page = browser.text()
        checks.that(f"{label}: a wrong password", words["wrong"] in wrong_page, wrong_page)
        checks.equal(f"{label}: the name is kept", browser.attribute("#name", "value"), "An Nguyễn")
        checks.that(
            f"{label}: the password is not kept", not browser.attribute("#password", "value")
        )
        browser.write("#name", "Không Có")
        browser.write("#password", "sai mật khẩu rồi")
        browser.follow("button")
        checks.equal(
            f"{label}: the page for an unknown account is the same", browser.text(), wrong_page
        )
        checks.equal(f"{label}: no redirect to the program", application.request_paths, [])
        # With capitals, additional spaces and decomposed letters, as users may enter it.
        browser.write("#name", unicodedata.normalize("NFD", "  an  NGUYỄN "))
        browser.write("#password", unicodedata.normalize("NFD", PASSWORD))
        browser.click("#keep")
        browser.follow("button")
        check_token(service, application.token(), "an nguyễn", label)
        checks.that(
            f"{label}: the program's page",
            wait_until(lambda: "Back in the program." in browser.text(), TIMEOUT),
            browser.text(),
        )
    check_privacy(browser, service, label)


def other_pages(browser, service, language, label):
    """Tests the language link, sign-in codes and refused callbacks."""
    words, other = WORDS[language], {"vi": "en", "en": "vi"}[language]
    browser.open(page_url(service, way="code"))
    browser.follow("nav a")
    checks.equal(f"{label}: the other language", browser.title(), WORDS[other]["title"])
    browser.follow("nav a")
    checks.equal(f"{label}: back to the first language", browser.title(), words["title"])
    browser.write("#name", "an nguyễn")
    browser.write("#password", PASSWORD)
    browser.follow("button")
    checks.equal(f"{label}: the title of the page with the code", browser.title(), words["code"])
    check_token(service, browser.text("#code").strip(), "an nguyễn", f"{label}, code")
    browser.open(page_url(service, callback="https://evil.example/back"))
    checks.that(
        f"{label}: an unregistered callback",
        words["unregistered"] in browser.text(),
        browser.text(),
    )
    browser.open(page_url(service, callback="http://localhost:1/back"))
    checks.that(
        f"{label}: a callback to localhost by name", words["unregistered"] in browser.text()
    )
    check_privacy(browser, service, f"{label}, other pages")


def keyboard(browser, service, label):
    """Signs in with the keyboard only."""
    with Application() as application:
        browser.open(page_url(service, callback=application.callback))
        focus_order = []
        for keys in (["a", "n", " ", "n", "g", "u", "y", "ễ", "n"], list(PASSWORD), [SPACE], []):
            browser.press([TAB])
            focus_order.append(browser.focused())
            browser.press(keys)
        checks.equal(
            f"{label}: the order of fields",
            focus_order,
            [("input", "name"), ("input", "password"), ("input", "keep"), ("button", "")],
        )
        checks.that(f"{label}: space checks the box", browser.element_command("#keep", "selected"))
        browser.press([TAB])
        checks.equal(f"{label}: then the link", browser.focused()[0], "a")
        browser.open(page_url(service, callback=application.callback))
        browser.press([TAB, *"an nguyễn", TAB, *PASSWORD, ENTER])
        check_token(service, application.token(), "an nguyễn", label)


def registration(browser, service, language, label):
    """Registers accounts, after failed attempts."""
    words = WORDS[language]
    with Application() as application:
        browser.open(page_url(service, callback=application.callback))
        browser.follow("main > p a")
        checks.equal(f"{label}: the title", browser.title(), words["register"])
        for name, password, field in (
            ("!", PASSWORD, "name"),
            ("Chị Hằng", "ngắn", "password"),
            ("an nguyễn", PASSWORD, "name"),
        ):
            browser.write("#name", name)
            browser.write("#password", password)
            browser.follow("button")
            checks.that(f"{label}: {name} is refused", browser.text("#failure"))
            checks.equal(
                f"{label}: {name}, the field is marked",
                browser.attribute(f"#{field}", "aria-invalid"),
                "true",
            )
        new_name = f"Chị Hằng {language}"
        browser.write("#name", new_name)
        browser.write("#password", PASSWORD)
        browser.follow("button")
        check_token(service, application.token(), new_name.lower(), label)
        # Without an API token.
        browser.open(f"{service.url}/register")
        browser.write("#name", f"Út {language}")
        browser.write("#password", PASSWORD)
        browser.follow("button")
        checks.equal(f"{label}: registration without an API token", browser.title(), words["done"])
        checks.that(
            f"{label}: the page has the account name",
            f"út {language}" in browser.text(),
            browser.text(),
        )
    check_privacy(browser, service, label)


def page_widths(browser, service):
    """Checks that the pages fit the screen, and takes screenshots."""
    directory = os.environ.get("BROWSERS_SCREENSHOTS")
    pages = {
        "sign-in": page_url(service),
        "register": page_url(service, "/register"),
        "refused": page_url(service, callback="https://evil.example/"),
    }
    for width, height in ((390, 844), (1280, 800), (280, 600)):
        browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        for scheme in ("light", "dark"):
            browser.devtools(
                "Emulation.setEmulatedMedia",
                features=[{"name": "prefers-color-scheme", "value": scheme}],
            )
            for name, url in pages.items():
                browser.open(url)
                page_width = browser.devtools("Page.getLayoutMetrics")["cssContentSize"]["width"]
                checks.that(
                    f"{name} at {width}: not wider than the screen", page_width <= width, page_width
                )
                screenshot = base64.b64decode(browser.send_command("GET", "/screenshot"))
                if directory:
                    pathlib.Path(directory, f"{name}-{width}-{scheme}.png").write_bytes(screenshot)
    browser.devtools("Emulation.clearDeviceMetricsOverride")


# w3m


def closes_connection(service):
    """Whether the server closes the connection after an HTTP/1.0 response, which w3m requires."""
    with socket.create_connection((service.host, service.port), timeout=TIMEOUT) as connection:
        connection.sendall(f"GET /healthz HTTP/1.0\r\nHost: {service.host}\r\n\r\n".encode())
        with contextlib.suppress(TimeoutError):
            while connection.recv(65536):
                pass
            return True
    return False


class Terminal:
    """w3m in a terminal of tmux."""

    def __init__(self, url, language, columns=80, rows=40):
        self.directory = tempfile.mkdtemp(prefix="w3m-")
        self.tmux = ["tmux", "-L", f"w3m-{os.getpid()}", "-f", "/dev/null"]
        self.run(
            "new-session",
            "-d",
            "-x",
            str(columns),
            "-y",
            str(rows),
            "-e",
            f"HOME={self.directory}",
            "-e",
            "LC_ALL=C.UTF-8",
            "w3m",
            "-o",
            f"accept_language={language}",
            "-o",
            "display_charset=UTF-8",
            url,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([*self.tmux, "kill-server"], capture_output=True)
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, *words):
        return subprocess.run(
            [*self.tmux, *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        ).stdout

    def screen(self):
        return self.run("capture-pane", "-p")

    def wait_for(self, text):
        """Waits until a text is on the screen."""
        return wait_until(lambda: text in self.screen(), TIMEOUT)

    def press(self, *keys):
        self.run("send-keys", *keys)

    def fill(self, prompt, text):
        """Fills the selected field: Enter opens a prompt for its text in the last line."""
        self.press("Enter")
        checks.that(f"w3m shows the prompt {prompt}", self.wait_for(prompt), self.screen())
        self.run("send-keys", "-l", text)
        if prompt == "TEXT:":
            self.wait_for(text)
        self.press("Enter")
        wait_until(lambda: prompt not in self.screen(), TIMEOUT)


def sign_in_with_w3m(service, language, columns):
    """Signs in with w3m, after a wrong password."""
    words, label = WORDS[language], f"w3m, {language}, {columns} columns"
    with (
        Application() as application,
        Terminal(page_url(service, callback=application.callback), language, columns) as terminal,
    ):
        if not checks.that(
            f"{label}: the page", terminal.wait_for(words["title"]), terminal.screen()
        ):
            return
        for password in ("a wrong sentence", ASCII_PASSWORD):
            terminal.press("Tab")
            if password == ASCII_PASSWORD:
                # The page with the error keeps the name.
                checks.that(
                    f"{label}: the name is kept", "Bà Tư" in terminal.screen(), terminal.screen()
                )
            else:
                terminal.fill("TEXT:", "Bà Tư")
            terminal.press("Tab")
            terminal.fill("Password:", password)
            terminal.press("Tab", "Enter")
            checks.that(f"{label}: the box is checked", terminal.wait_for("[*]"), terminal.screen())
            if password == ASCII_PASSWORD:
                terminal.press("Tab", "Enter")
                break
            terminal.press("Tab", "Enter")
            error_start = words["wrong"][:24]
            checks.that(
                f"{label}: a wrong password", terminal.wait_for(error_start), terminal.screen()
            )
            # The page with the error keeps the box checked: it is unchecked again.
            terminal.press("Tab", "Tab", "Tab", "Enter")
            wait_until(lambda: "[*]" not in terminal.screen(), TIMEOUT)
            terminal.press("g")
        check_token(service, application.token(), "bà tư", label)
        checks.that(
            f"{label}: the program's page",
            terminal.wait_for("Back in the program."),
            terminal.screen(),
        )


def narrow_pages(service):
    """Checks that the pages fit into 40 columns."""
    for language in WORDS:
        for url in (
            page_url(service),
            page_url(service, "/register"),
            page_url(service, callback="https://evil.example/"),
        ):
            rendered = subprocess.run(
                [
                    "w3m",
                    "-dump",
                    "-cols",
                    "40",
                    "-o",
                    f"accept_language={language}",
                    "-o",
                    "display_charset=UTF-8",
                    url,
                ],
                capture_output=True,
                text=True,
                check=True,
                timeout=TIMEOUT,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            ).stdout
            longest = max(len(unicodedata.normalize("NFC", line)) for line in rendered.splitlines())
            checks.that(f"{url[:40]} ({language}) fits into 40 columns", longest <= 40, rendered)


# The reader


def connect_reader(service, name, label, sign_in):
    """Runs `sync connect`, which opens a browser; `sign_in` is called with the URL to open."""
    with Device(service, checks) as device:
        opened_file, program_directory = device.home / "opened", device.home / "programs"
        program_directory.mkdir()
        xdg_open = program_directory / "xdg-open"
        xdg_open.write_text(
            f'#!/bin/sh\nprintf %s "$1" >{opened_file}.new && mv {opened_file}.new {opened_file}\n'
        )
        xdg_open.chmod(0o755)
        device.variables.update(DISPLAY=":none", PATH=f"{program_directory}:{os.environ['PATH']}")
        device.run("favorite", "add", "2:255")
        process = device.start_command(
            "sync", "connect", service.url, "--yes", text=service.api_token + "\n"
        )
        try:
            address = wait_until(lambda: opened_file.exists() and opened_file.read_text(), TIMEOUT)
            if checks.that(f"{label}: the browser is opened", address):
                checks.that(
                    f"{label}: the URL does not contain the API token",
                    service.api_token not in address,
                    address,
                )
                sign_in(address)
            output, errors = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
        checks.equal(f"{label}: exit status of the reader", process.returncode, 0)
        checks.that(
            f"{label}: the account name is printed",
            f"Signed in as “{name}”." in output,
            output + errors,
        )
        record_types = [record["recordType"] for record in service.records(name).values()]
        checks.equal(f"{label}: the favourite is synced", record_types.count("FavoriteAyah"), 1)


def reader_with_chromium(service, scripts):
    label = "the reader with Chromium" + (", with scripts" if scripts else "")
    with Browser("en", scripts) as browser:

        def sign_in(address):
            browser.open(address)
            checks.equal(f"{label}: the title", browser.title(), WORDS["en"]["title"])
            browser.write("#name", "An Nguyễn")
            browser.write("#password", PASSWORD)
            browser.follow("button")
            text = browser.text()
            checks.that(f"{label}: the reader's page", "Close this page" in text, text)

        connect_reader(service, "an nguyễn", label, sign_in)
        cookies = browser.send_command("GET", "/cookie")
        checks.equal(f"{label}: no cookie", cookies, [])


def reader_with_w3m(service):
    label = "the reader with w3m"

    def sign_in(address):
        with Terminal(address, "en") as terminal:
            title = WORDS["en"]["title"]
            if not checks.that(f"{label}: the page", terminal.wait_for(title), terminal.screen()):
                return
            terminal.press("Tab")
            terminal.fill("TEXT:", "Bà Tư")
            terminal.press("Tab")
            terminal.fill("Password:", ASCII_PASSWORD)
            terminal.press("Tab", "Tab", "Enter")
            is_shown = terminal.wait_for("Close this page")
            checks.that(f"{label}: the reader's page", is_shown, terminal.screen())

    connect_reader(service, "bà tư", label, sign_in)


# Requests without a browser


def equal_refusals():
    """The responses to a wrong password and to an unknown account are the same.

    They are compared for the first attempts and for one that is throttled. The first attempts are
    never throttled; when later ones are depends on the time that they take.
    """
    unthrottled, further_attempts = 6, 25
    results = {}
    for name in ("an nguyễn", "không có"):
        with service_with_account() as service:
            url = page_url(service, way="code", lang="en")
            form = fetch_page(url)[2]

            def attempt():
                status, response_headers, text = fetch_page(
                    url, {"request": hidden_request(form), "name": name, "password": "wrong " * 3}
                )
                for variable_text in (hidden_request(text), html.escape(name), service.api_token):
                    text = text.replace(variable_text, "")
                text = re.sub(r"wait \d+ (second|minute)s?", "", text)
                return (
                    status,
                    text,
                    sorted(
                        (key, value)
                        for key, value in response_headers.items()
                        if key.lower()
                        not in ("date", "x-apple-request-uuid", "content-length", "retry-after")
                    ),
                )

            attempts = [attempt() for _ in range(unthrottled)]
            with urllib.request.urlopen(service.url + "/metrics", timeout=TIMEOUT) as metrics:
                metric_lines = sorted(
                    line
                    for line in metrics.read().decode().splitlines()
                    if line.startswith("record_service_requests_total") and "sign-in" in line
                )
            for _ in range(further_attempts):
                throttled = attempt()
                if throttled[0] == 429:
                    break
            results[name] = attempts, metric_lines, throttled
    wrong_password, unknown_account = results.values()
    checks.equal(
        "statuses of a wrong password",
        [result[0] for result in wrong_password[0]],
        [403] * unthrottled,
    )
    checks.that(
        "an unknown account has the same statuses, pages and headers",
        wrong_password[0] == unknown_account[0],
    )
    checks.equal("an unknown account has the same metrics", wrong_password[1], unknown_account[1])
    checks.that("the metrics have sign-ins", wrong_password[1])
    checks.equal("further attempts are throttled", wrong_password[2][0], 429)
    checks.that(
        "throttling of an unknown account is the same",
        wrong_password[2] == unknown_account[2],
        (wrong_password[2], unknown_account[2]),
    )


def headers(service):
    """Checks the headers of pages, and which callbacks are refused."""
    for url in (
        page_url(service),
        page_url(service, "/register"),
        f"{service.url}/sign-in",
        page_url(service, callback="https://evil.example/"),
    ):
        status, response_headers, text = fetch_page(url)
        policy = response_headers["Content-Security-Policy"]
        checks.that(
            "the content security policy forbids other sources",
            policy.startswith("default-src 'none';")
            and "src=" not in text
            and "<script" not in text,
            policy,
        )
        checks.equal("no cookie", response_headers["Set-Cookie"], None)
        checks.equal("no caching", response_headers["Cache-Control"], "no-store")
        checks.equal("no referrer", response_headers["Referrer-Policy"], "no-referrer")
    status, _, _ = fetch_page(page_url(service, callback="https://evil.example/"))
    checks.equal("an unregistered callback", status, 400)
    for callback in (
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1@evil.example/",
        "http://127.0.0.1:80:80/",
        "javascript:alert(1)",
        "https://127.0.0.1/",
        "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1/#f",
        "//evil.example/",
        "",
    ):
        status, _, text = fetch_page(page_url(service, callback=callback))
        checks.equal(f"the callback {callback!r}", (status, "<form" in text), (400, False))
    status, _, _ = fetch_page(f"{service.url}/sign-in?ckAPIToken=" + "0" * 64)
    checks.equal("an unknown API token", status, 400)


def invitations():
    """Registration with invitation codes."""
    with Service("--registration", "invitation") as service, Browser("vi", False) as browser:
        code = service.command("user", "invite").split()[0]
        for invitation, expected in (("", "needed"), (code, "done"), (code, "")):
            browser.open(
                f"{service.url}/register?lang=vi"
                + (f"&invitation={invitation}" if invitation else "")
            )
            checks.equal(
                "the form has the code of the URL",
                browser.attribute("#invitation", "value") or "",
                invitation,
            )
            if not invitation:
                status, _, text = fetch_page(
                    f"{service.url}/register?lang=vi",
                    {
                        "request": hidden_request(fetch_page(f"{service.url}/register")[2]),
                        "name": "mười",
                        "password": PASSWORD,
                    },
                )
                checks.that(
                    "an invitation is needed", status == 403 and WORDS["vi"]["needed"] in text, text
                )
                continue
            browser.write("#name", "Mười" if expected else "Mười một")
            browser.write("#password", PASSWORD)
            browser.follow("button")
            if expected:
                checks.equal(
                    "registration with an invitation", browser.title(), WORDS["vi"]["done"]
                )
            else:
                checks.equal(
                    "an invitation is valid once",
                    browser.attribute("#invitation", "aria-invalid"),
                    "true",
                )
        check_privacy(browser, service, "invitations")


@contextlib.contextmanager
def service_with_account():
    """A new server with an account, as the number of pages for one client address is limited."""
    with Service() as service:
        service.command("user", "add", "An Nguyễn", text=PASSWORD + "\n")
        yield service


def main():
    missing_packages = [
        package for program, package in PACKAGES.items() if not shutil.which(program)
    ]
    if missing_packages:
        skip(f"these Debian packages are needed: {' '.join(missing_packages)}")
    for language, scripts in (("vi", False), ("en", False), ("vi", True)):
        label = f"Chromium, {language}" + (", with scripts" if scripts else "")
        with service_with_account() as service, Browser(language, scripts) as browser:
            sign_in_pages(browser, service, language, label)
            other_pages(browser, service, language, label)
        with service_with_account() as service, Browser(language, scripts) as browser:
            keyboard(browser, service, f"{label}, by keyboard")
            registration(browser, service, language, f"{label}, registration")
    with service_with_account() as service, Browser("vi", False) as browser:
        page_widths(browser, service)
    with service_with_account() as service:
        headers(service)
        checks.that("a connection ends after an HTTP/1.0 response", closes_connection(service))
    for language, columns in (("vi", 80), ("en", 80), ("vi", 40)):
        with service_with_account() as service:
            service.command("user", "add", "Bà Tư", text=ASCII_PASSWORD + "\n")
            sign_in_with_w3m(service, language, columns)
            narrow_pages(service)
    if os.access(READER_BINARY, os.X_OK):
        for scripts in (False, True):
            with service_with_account() as service:
                reader_with_chromium(service, scripts)
        with service_with_account() as service:
            service.command("user", "add", "Bà Tư", text=ASCII_PASSWORD + "\n")
            reader_with_w3m(service)
    else:
        print("not tested: the reader, as $QURAN_VI_BINARY does not name it")
    equal_refusals()
    invitations()
    checks.finish("browsers")


if __name__ == "__main__":
    main()
