"""Signs in by the pages of record-service, as people do: with Chromium and with w3m.

Chromium runs without scripts, as the pages have none, and once with them; it is driven by
chromedriver over plain HTTP. w3m runs in a terminal of tmux. What a page says is looked for in
both languages. $BROWSERS_SCREENSHOTS names a directory for pictures of the pages; else none are
kept.
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

from device import READER, Device
from service import CONTAINER, PASSWORD, Checks, Service, help_text, skip, until

PACKAGES = {"chromium": "chromium", "chromedriver": "chromium-driver", "w3m": "w3m", "tmux": "tmux"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB, ENTER, SPACE = "\ue004", "\ue007", " "
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
        "done": "The account is made",
        "needed": "Registering here takes an invitation code",
        "link": "No account yet? Register",
    },
}
# That anything is waited for, and a browser that is just started; only for hangs.
SECONDS, STARTING_SECONDS = 60, 180
# The terminals of text browsers take no more than ASCII everywhere.
PLAIN_PASSWORD = "a long sentence"

checks = Checks()


class Application:
    """A program on this machine that waits for the browser to come back."""

    def __init__(self):
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.asked.append(handler.path)
                # With an icon in it, so that none is asked for when nobody listens any more.
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
        """The token the browser came back with."""

        def found():
            for path in self.asked:
                parts = urllib.parse.urlsplit(path)
                if parts.path == self.path:
                    return urllib.parse.parse_qs(parts.query).get("ckWebAuthToken", [""])[0]
            return None

        token = until(found, SECONDS)
        self.asked.clear()
        return token


class Browser:
    """Chromium by WebDriver."""

    def __init__(self, language, scripts):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        # It ends if the port that it picked is free for one version of IP only.
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
        made = self.ask(
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
            STARTING_SECONDS,
        )
        self.url += f"/session/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.ask("DELETE", "")
        # With the browser's own processes, some of which outlive the browser.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None, seconds=SECONDS):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=json.dumps(body or {}).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:500]) from error

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def patiently(self, act):
        """Without scripts chromedriver cannot tell when one page has taken another's place."""
        done, failure = [], None

        def attempt():
            nonlocal failure
            try:
                done.append(act())
            except RuntimeError as error:
                if "stale element" not in str(error) and "no such element" not in str(error):
                    raise
                failure = error
            return done

        if not until(attempt, SECONDS):
            raise failure
        return done[0]

    def of(self, selector, rest, method="GET", body=None):
        return self.patiently(
            lambda: self.ask(method, f"/element/{self.find(selector)}/{rest}", body)
        )

    def text(self, selector="body"):
        return self.of(selector, "text")

    def attribute(self, selector, name):
        return self.of(selector, f"attribute/{name}")

    def write(self, selector, text):
        self.of(selector, "clear", "POST")
        self.of(selector, "value", "POST", {"text": text})

    def click(self, selector):
        self.of(selector, "click", "POST")

    def follow(self, selector):
        """Clicks what leads to another page, and waits for it."""
        former = self.patiently(lambda: self.find("html"))
        self.click(selector)

        def is_other():
            with contextlib.suppress(RuntimeError):
                return self.find("html") != former and self.find("body")

        if not until(is_other, SECONDS):
            raise RuntimeError(f"{selector} leads to no other page in {SECONDS} s")

    def title(self):
        return self.ask("GET", "/title")

    def location(self):
        return self.ask("GET", "/url")

    def press(self, keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask(
            "POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def focused(self):
        element = self.ask("GET", "/element/active")[ELEMENT]
        return (
            self.ask("GET", f"/element/{element}/name"),
            self.ask("GET", f"/element/{element}/property/id"),
        )

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})


def page(url, fields=None, language="vi"):
    """Status, headers and text of a page as it is sent."""
    data = None if fields is None else urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(url, data, {"Accept-Language": language})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def sealed(text):
    return html.unescape(re.search(r'name="request" value="([^"]+)"', text).group(1))


def link(service, path="/sign-in", **parameters):
    return f"{service.url}{path}?" + urllib.parse.urlencode(
        {"ckAPIToken": service.api_token, **parameters}
    )


def signed_in(service, token, name, how):
    if not checks.that(f"{how}: a token", re.fullmatch(r"[A-Za-z0-9_]{128,}", token or ""), token):
        return
    status, body = service.call("users/caller", token=token, method="GET")
    checks.equal(f"{how}: the token works", status, 200)
    checks.equal(f"{how}: for whom it is", body.get("nameComponents", {}).get("givenName"), name)


def quiet(browser, service, how):
    """Nothing was complained of, kept or fetched from elsewhere."""
    complaints = [
        entry["message"]
        for entry in browser.log("browser")
        # Chromium notes the status of every page that is shown again.
        if "the server responded with a status of 4" not in entry["message"]
    ]
    checks.equal(f"{how}: the console is empty", complaints, [])
    checks.equal(f"{how}: no cookie", browser.ask("GET", "/cookie"), [])
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
    checks.that(f"{how}: requests only to this machine", hosts <= {"127.0.0.1"}, hosts)
    checks.equal(f"{how}: no cookie is set", cookies, [])


# Chromium


def sign_in_pages(browser, service, language, how):
    words = WORDS[language]
    with Application() as application:
        browser.open(link(service, callback=application.callback))
        checks.equal(f"{how}: the title", browser.title(), words["title"])
        checks.equal(f"{how}: the language", browser.attribute("html", "lang"), language)
        text = browser.text()
        for part in ("Quran-vi", CONTAINER, urllib.parse.urlsplit(application.callback).netloc):
            checks.that(f"{how}: the page names {part}", part in text, text)
        browser.write("#name", "An Nguyễn")
        browser.write("#password", "sai mật khẩu rồi")
        browser.follow("button")
        wrong = browser.text()
        checks.that(f"{how}: a wrong password", words["wrong"] in wrong, wrong)
        checks.equal(f"{how}: the name is kept", browser.attribute("#name", "value"), "An Nguyễn")
        checks.that(f"{how}: the password is not", not browser.attribute("#password", "value"))
        browser.write("#name", "Không Có")
        browser.write("#password", "sai mật khẩu rồi")
        browser.follow("button")
        checks.equal(f"{how}: an unknown account looks the same", browser.text(), wrong)
        checks.equal(f"{how}: nobody came back", application.asked, [])
        # Written as people do: capitals, more spaces, letters composed otherwise.
        browser.write("#name", unicodedata.normalize("NFD", "  an  NGUYỄN "))
        browser.write("#password", unicodedata.normalize("NFD", PASSWORD))
        browser.click("#keep")
        browser.follow("button")
        signed_in(service, application.token(), "an nguyễn", how)
        checks.that(
            f"{how}: the program's page",
            until(lambda: "Back in the program." in browser.text(), SECONDS),
            browser.text(),
        )
    quiet(browser, service, how)


def other_pages(browser, service, language, how):
    words, other = WORDS[language], {"vi": "en", "en": "vi"}[language]
    browser.open(link(service, way="code"))
    browser.follow("nav a")
    checks.equal(f"{how}: the other language", browser.title(), WORDS[other]["title"])
    browser.follow("nav a")
    checks.equal(f"{how}: and back", browser.title(), words["title"])
    browser.write("#name", "an nguyễn")
    browser.write("#password", PASSWORD)
    browser.follow("button")
    checks.equal(f"{how}: the code's title", browser.title(), words["code"])
    signed_in(service, browser.text("#code").strip(), "an nguyễn", f"{how}, code")
    browser.open(link(service, callback="https://evil.example/back"))
    checks.that(
        f"{how}: an unregistered callback", words["unregistered"] in browser.text(), browser.text()
    )
    browser.open(link(service, callback="http://localhost:1/back"))
    checks.that(f"{how}: localhost by name", words["unregistered"] in browser.text())
    quiet(browser, service, f"{how}, other pages")


def keyboard(browser, service, how):
    with Application() as application:
        browser.open(link(service, callback=application.callback))
        order = []
        for keys in (["a", "n", " ", "n", "g", "u", "y", "ễ", "n"], list(PASSWORD), [SPACE], []):
            browser.press([TAB])
            order.append(browser.focused())
            browser.press(keys)
        checks.equal(
            f"{how}: the order",
            order,
            [("input", "name"), ("input", "password"), ("input", "keep"), ("button", "")],
        )
        checks.that(f"{how}: space ticks the box", browser.of("#keep", "selected"))
        browser.press([TAB])
        checks.equal(f"{how}: then the link", browser.focused()[0], "a")
        browser.open(link(service, callback=application.callback))
        browser.press([TAB, *"an nguyễn", TAB, *PASSWORD, ENTER])
        signed_in(service, application.token(), "an nguyễn", how)


def registration(browser, service, language, how):
    words = WORDS[language]
    with Application() as application:
        browser.open(link(service, callback=application.callback))
        browser.follow("main > p a")
        checks.equal(f"{how}: the title", browser.title(), words["register"])
        for name, password, field in (
            ("!", PASSWORD, "name"),
            ("Chị Hằng", "ngắn", "password"),
            ("an nguyễn", PASSWORD, "name"),
        ):
            browser.write("#name", name)
            browser.write("#password", password)
            browser.follow("button")
            checks.that(f"{how}: {name} is not taken", browser.text("#failure"))
            checks.equal(
                f"{how}: {name}, which field",
                browser.attribute(f"#{field}", "aria-invalid"),
                "true",
            )
        mine = f"Chị Hằng {language}"
        browser.write("#name", mine)
        browser.write("#password", PASSWORD)
        browser.follow("button")
        signed_in(service, application.token(), mine.lower(), how)
        # Without an app.
        browser.open(f"{service.url}/register")
        browser.write("#name", f"Út {language}")
        browser.write("#password", PASSWORD)
        browser.follow("button")
        checks.equal(f"{how}: without an app", browser.title(), words["done"])
        checks.that(f"{how}: the account", f"út {language}" in browser.text(), browser.text())
    quiet(browser, service, how)


def pictures(browser, service):
    """The pages fit the screen; whoever wants may look at them."""
    directory = os.environ.get("BROWSERS_SCREENSHOTS")
    shown = {
        "sign-in": link(service),
        "register": link(service, "/register"),
        "refused": link(service, callback="https://evil.example/"),
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
            for name, url in shown.items():
                browser.open(url)
                wide = browser.devtools("Page.getLayoutMetrics")["cssContentSize"]["width"]
                checks.that(f"{name} at {width}: not wider than the screen", wide <= width, wide)
                picture = base64.b64decode(browser.ask("GET", "/screenshot"))
                if directory:
                    pathlib.Path(directory, f"{name}-{width}-{scheme}.png").write_bytes(picture)
    browser.devtools("Emulation.clearDeviceMetricsOverride")


# w3m


def closes(service):
    """w3m speaks HTTP/1.0, where the end of the connection is the end of the answer."""
    with socket.create_connection((service.host, service.port), timeout=SECONDS) as connection:
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

    def sees(self, text):
        return until(lambda: text in self.screen(), SECONDS)

    def press(self, *keys):
        self.run("send-keys", *keys)

    def fill(self, prompt, text):
        """At a field: Enter asks for its text in the last line."""
        self.press("Enter")
        checks.that(f"w3m asks for {prompt}", self.sees(prompt), self.screen())
        self.run("send-keys", "-l", text)
        if prompt == "TEXT:":
            self.sees(text)
        self.press("Enter")
        until(lambda: prompt not in self.screen(), SECONDS)


def in_terminal(service, language, columns):
    words, how = WORDS[language], f"w3m, {language}, {columns} columns"
    with (
        Application() as application,
        Terminal(link(service, callback=application.callback), language, columns) as terminal,
    ):
        if not checks.that(f"{how}: the page", terminal.sees(words["title"]), terminal.screen()):
            return
        for password in ("a wrong sentence", PLAIN_PASSWORD):
            terminal.press("Tab")
            if password == PLAIN_PASSWORD:
                # The name still stands there.
                checks.that(
                    f"{how}: the name is kept", "Bà Tư" in terminal.screen(), terminal.screen()
                )
            else:
                terminal.fill("TEXT:", "Bà Tư")
            terminal.press("Tab")
            terminal.fill("Password:", password)
            terminal.press("Tab", "Enter")
            checks.that(f"{how}: the box is ticked", terminal.sees("[*]"), terminal.screen())
            if password == PLAIN_PASSWORD:
                terminal.press("Tab", "Enter")
                break
            terminal.press("Tab", "Enter")
            start = words["wrong"][:24]
            checks.that(f"{how}: a wrong password", terminal.sees(start), terminal.screen())
            # The page is shown with the box as it was.
            terminal.press("Tab", "Tab", "Tab", "Enter")
            until(lambda: "[*]" not in terminal.screen(), SECONDS)
            terminal.press("g")
        signed_in(service, application.token(), "bà tư", how)
        checks.that(
            f"{how}: the program's page", terminal.sees("Back in the program."), terminal.screen()
        )


def narrow(service):
    """Nothing of the pages is cut off at 40 columns."""
    for language in WORDS:
        for url in (
            link(service),
            link(service, "/register"),
            link(service, callback="https://evil.example/"),
        ):
            shown = subprocess.run(
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
                timeout=SECONDS,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            ).stdout
            longest = max(len(unicodedata.normalize("NFC", line)) for line in shown.splitlines())
            checks.that(f"40 columns hold {url[:40]} ({language})", longest <= 40, shown)


# The reader


def reader_signs_in(service, name, how, sign_in):
    """`sync connect` on a desktop. `sign_in` is called with the address that its browser gets."""
    with Device(service, checks) as device:
        opened, programs = device.home / "opened", device.home / "programs"
        programs.mkdir()
        tool = programs / "xdg-open"
        tool.write_text(f'#!/bin/sh\nprintf %s "$1" >{opened}.new && mv {opened}.new {opened}\n')
        tool.chmod(0o755)
        device.variables.update(DISPLAY=":none", PATH=f"{programs}:{os.environ['PATH']}")
        device.run("favorite", "add", "2:255")
        reader = device.begin(
            "sync", "connect", service.url, "--yes", text=service.api_token + "\n"
        )
        try:
            address = until(lambda: opened.exists() and opened.read_text(), SECONDS)
            if checks.that(f"{how}: the browser is opened", address):
                checks.that(f"{how}: without the token", service.api_token not in address, address)
                sign_in(address)
            said, errors = reader.communicate(timeout=SECONDS)
        finally:
            reader.kill()
        checks.equal(f"{how}: the reader's status", reader.returncode, 0)
        checks.that(f"{how}: as who", f"Signed in as “{name}”." in said, said + errors)
        kinds = [record["recordType"] for record in service.records(name).values()]
        checks.equal(f"{how}: the favourite is synced", kinds.count("FavoriteAyah"), 1)


def reader_with_chromium(service, scripts):
    how = "the reader with Chromium" + (", with scripts" if scripts else "")
    with Browser("en", scripts) as browser:

        def sign_in(address):
            browser.open(address)
            checks.equal(f"{how}: the title", browser.title(), WORDS["en"]["title"])
            browser.write("#name", "An Nguyễn")
            browser.write("#password", PASSWORD)
            browser.follow("button")
            text = browser.text()
            checks.that(f"{how}: the reader's page", "Close this page" in text, text)

        reader_signs_in(service, "an nguyễn", how, sign_in)
        cookies = browser.ask("GET", "/cookie")
        checks.equal(f"{how}: no cookie", cookies, [])


def reader_with_w3m(service):
    how = "the reader with w3m"

    def sign_in(address):
        with Terminal(address, "en") as terminal:
            title = WORDS["en"]["title"]
            if not checks.that(f"{how}: the page", terminal.sees(title), terminal.screen()):
                return
            terminal.press("Tab")
            terminal.fill("TEXT:", "Bà Tư")
            terminal.press("Tab")
            terminal.fill("Password:", PLAIN_PASSWORD)
            terminal.press("Tab", "Tab", "Enter")
            shown = terminal.sees("Close this page")
            checks.that(f"{how}: the reader's page", shown, terminal.screen())

    reader_signs_in(service, "bà tư", how, sign_in)


# Requests by hand


def sameness():
    """A wrong password and an unknown account are answered alike, until and when one has to wait.

    The first few attempts never have to; after those it depends on the time they take.
    """
    free, most = 6, 25
    answers = {}
    for name in ("an nguyễn", "không có"):
        with with_an() as service:
            url = link(service, way="code", lang="en")
            form = page(url)[2]

            def attempt():
                status, sent, text = page(
                    url, {"request": sealed(form), "name": name, "password": "wrong " * 3}
                )
                for changing in (sealed(text), html.escape(name), service.api_token):
                    text = text.replace(changing, "")
                text = re.sub(r"wait \d+ (second|minute)s?", "", text)
                return (
                    status,
                    text,
                    sorted(
                        (key, value)
                        for key, value in sent.items()
                        if key.lower()
                        not in ("date", "x-apple-request-uuid", "content-length", "retry-after")
                    ),
                )

            said = [attempt() for _ in range(free)]
            with urllib.request.urlopen(service.url + "/metrics", timeout=SECONDS) as metrics:
                counted = sorted(
                    line
                    for line in metrics.read().decode().splitlines()
                    if line.startswith("record_service_requests_total") and "sign-in" in line
                )
            for _ in range(most):
                last = attempt()
                if last[0] == 429:
                    break
            answers[name] = said, counted, last
    known, unknown = answers.values()
    checks.equal("a wrong password", [one[0] for one in known[0]], [403] * free)
    checks.that("an unknown account: statuses, pages and headers", known[0] == unknown[0])
    checks.equal("what the server counts", known[1], unknown[1])
    checks.that("it counts", known[1])
    checks.equal("who keeps trying has to wait", known[2][0], 429)
    checks.that("also for nobody's account", known[2] == unknown[2], (known[2], unknown[2]))


def headers(service):
    for url in (
        link(service),
        link(service, "/register"),
        f"{service.url}/sign-in",
        link(service, callback="https://evil.example/"),
    ):
        status, sent, text = page(url)
        policy = sent["Content-Security-Policy"]
        checks.that(
            "nothing is loaded from elsewhere",
            policy.startswith("default-src 'none';")
            and "src=" not in text
            and "<script" not in text,
            policy,
        )
        checks.equal("no cookie", sent["Set-Cookie"], None)
        checks.equal("kept nowhere", sent["Cache-Control"], "no-store")
        checks.equal("no referrer", sent["Referrer-Policy"], "no-referrer")
    status, _, _ = page(link(service, callback="https://evil.example/"))
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
        status, _, text = page(link(service, callback=callback))
        checks.equal(f"the callback {callback!r}", (status, "<form" in text), (400, False))
    status, _, _ = page(f"{service.url}/sign-in?ckAPIToken=" + "0" * 64)
    checks.equal("an unknown app", status, 400)


def invitations():
    if "--registration" not in help_text("serve") or "invite" not in help_text("user"):
        print(
            "left out: `user invite` and `serve --registration`, which this program does not have"
        )
        return
    with Service("--registration", "invitation") as service, Browser("vi", False) as browser:
        code = service.command("user", "invite").split()[0]
        for given, wanted in (("", "needed"), (code, "done"), (code, "")):
            browser.open(
                f"{service.url}/register?lang=vi" + (f"&invitation={given}" if given else "")
            )
            checks.equal(
                "the code of the link stands in the form",
                browser.attribute("#invitation", "value") or "",
                given,
            )
            if not given:
                status, _, text = page(
                    f"{service.url}/register?lang=vi",
                    {
                        "request": sealed(page(f"{service.url}/register")[2]),
                        "name": "mười",
                        "password": PASSWORD,
                    },
                )
                checks.that(
                    "an invitation is needed", status == 403 and WORDS["vi"]["needed"] in text, text
                )
                continue
            browser.write("#name", "Mười" if wanted else "Mười một")
            browser.write("#password", PASSWORD)
            browser.follow("button")
            if wanted:
                checks.equal("invited", browser.title(), WORDS["vi"]["done"])
            else:
                checks.equal("not twice", browser.attribute("#invitation", "aria-invalid"), "true")
        quiet(browser, service, "invitations")


@contextlib.contextmanager
def with_an():
    """A fresh server, as so many pages are not given to one address at once."""
    with Service() as service:
        service.command("user", "add", "An Nguyễn", text=PASSWORD + "\n")
        yield service


def main():
    missing = [package for program, package in PACKAGES.items() if not shutil.which(program)]
    if missing:
        skip(f"these Debian packages are needed: {' '.join(missing)}")
    for language, scripts in (("vi", False), ("en", False), ("vi", True)):
        how = f"Chromium, {language}" + (", with scripts" if scripts else "")
        with with_an() as service, Browser(language, scripts) as browser:
            sign_in_pages(browser, service, language, how)
            other_pages(browser, service, language, how)
        with with_an() as service, Browser(language, scripts) as browser:
            keyboard(browser, service, f"{how}, by keyboard")
            registration(browser, service, language, f"{how}, registration")
    with with_an() as service, Browser("vi", False) as browser:
        pictures(browser, service)
    with with_an() as service:
        headers(service)
        is_for_w3m = checks.that("a connection ends after an answer by HTTP/1.0", closes(service))
    for language, columns in (("vi", 80), ("en", 80), ("vi", 40)) if is_for_w3m else ():
        with with_an() as service:
            service.command("user", "add", "Bà Tư", text=PLAIN_PASSWORD + "\n")
            in_terminal(service, language, columns)
            narrow(service)
    if os.access(READER, os.X_OK):
        for scripts in (False, True):
            with with_an() as service:
                reader_with_chromium(service, scripts)
        with with_an() as service:
            service.command("user", "add", "Bà Tư", text=PLAIN_PASSWORD + "\n")
            reader_with_w3m(service)
    else:
        print("left out: the reader, which $QURAN_VI_BINARY does not name")
    if not is_for_w3m:
        print("left out: w3m, which would wait for that")
    sameness()
    invitations()
    checks.finish("browsers")


if __name__ == "__main__":
    main()
