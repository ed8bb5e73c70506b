#!/usr/bin/env python3
"""Serves the repositories below a directory over HTTP on the loopback, through git's own http-backend.

    git-http-server.py DIRECTORY [--v0] [--slow SECONDS]    prints the port, then serves until it is ended

--v0: without protocol 2, as old servers, which refuse commit ids that no branch or tag is at.
--slow: waits that long in the middle of each answer, so that a fetch can be interrupted there.
"""
import http.server, os, subprocess, sys, time

root = os.path.abspath(sys.argv[1])
v0 = "--v0" in sys.argv
slow = float(sys.argv[sys.argv.index("--slow") + 1]) if "--slow" in sys.argv else 0
backend = os.path.join(subprocess.check_output(["git", "--exec-path"], text=True).strip(), "git-http-backend")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *args):
        pass

    def answer(self):
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        env = dict(os.environ, GIT_PROJECT_ROOT=root, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
                   REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type") or "", CONTENT_LENGTH=str(length),
                   HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding") or "", REMOTE_ADDR="127.0.0.1")
        if not v0:
            env["HTTP_GIT_PROTOCOL"] = env["GIT_PROTOCOL"] = self.headers.get("Git-Protocol") or ""
        done = subprocess.run([backend], input=self.rfile.read(length), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.partition(": ")[::2] for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name.lower() == "status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            if name.lower() != "status":
                self.send_header(name, value)
        self.end_headers()
        half = len(body) // 2
        try:
            self.wfile.write(body[:half])
            self.wfile.flush()
            time.sleep(slow)
            self.wfile.write(body[half:])
        except ConnectionError:
            pass

    do_GET = do_POST = answer


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
