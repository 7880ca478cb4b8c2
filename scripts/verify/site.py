"""The pages of the verification scripts, on a port of the loopback: prints the port, then serves.

/1.html … /40.html: a handbook of 6 to 18 KB a page; / is its first page.
/slow/1.html …: pages that link to the next one; the third never ends its answer.
"""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ocd.practice import handbook

_ENDLESS = 3


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        folder, _, name = self.path.partition("?")[0].lstrip("/").rpartition("/")
        number = int(name.removesuffix(".html")) if name.removesuffix(".html").isdecimal() else 0
        if folder == "slow" and number >= _ENDLESS:
            self.connection.recv(1)  # until the caller goes away
        elif folder == "slow":
            self.answer(
                f'<!doctype html><h1>Slow {number}</h1><a href="{number + 1}.html">next</a>'
            )
        elif self.path == "/" or 1 <= number <= handbook.COUNT:
            self.answer(handbook.page(number or 1))
        else:
            self.send_error(404)

    def answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
