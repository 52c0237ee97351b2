"""The pages behind nginx, as a proxy is set up that says nothing and as one that keeps connections."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

CONFIG = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; large_client_header_buffers 8 64k;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream pages {{ server 127.0.0.1:{pages}; keepalive 2; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://pages; {settings} }} }}
}}
"""
PROXIES = {
    "plain": "",
    "kept": 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;',
    "upgraded": "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Host $http_host; "
    'proxy_set_header Connection "upgrade"; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
}
OWN = {"Content-Type": "application/x-www-form-urlencoded"}
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x"}


@pytest.fixture(params=PROXIES)
def proxy(wire, tmp_path, request):
    program = shutil.which("nginx")
    if program is None:
        pytest.skip("needs nginx")
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port = found.getsockname()[1]
    config = CONFIG.format(folder=tmp_path, pages=wire.port, port=port, settings=PROXIES[request.param])
    (tmp_path / "nginx.conf").write_text(config)
    process = subprocess.Popen([program, "-c", tmp_path / "nginx.conf"], stderr=subprocess.PIPE)
    while process.poll() is None and not (tmp_path / "pid").exists():
        time.sleep(0.01)
    yield port, f"crowd {1 + [*PROXIES].index(request.param)}"
    process.terminate()
    process.wait()
    process.stderr.close()


@pytest.mark.fault("a proxy before the pages")
def test_people_answer_through_a_proxy(attacked, wire, proxy, capfd):
    proxy, seat = proxy
    with closing(HTTPConnection("127.0.0.1", proxy, timeout=20)) as line:

        def asked(method, path, fields=None, **headers):
            line.request(method, path, None if fields is None else urlencode(fields), {**cookie, **OWN, **headers})
            said = line.getresponse()
            return said.status, said.read().decode(), said

        cookie = {}
        _, page, entered = asked("GET", attacked.link(seat))
        cookie["Cookie"] = entered.headers["Set-Cookie"].partition(";")[0]
        (to,) = re.findall(r'content="0;url=([^"]*)"', page)
        for headers in ({}, {}, UPGRADE, {"X-Long": "x" * 6000}):
            status, page, said = asked("GET", to, **headers)
            assert (status, said.version) == (200, 11)
            assert "alpha says" in page
        assert asked("GET", to, Host="evil.example")[0] in {200, 403}
        assert asked("GET", to, **{"X-Long": "x" * 60_000})[0] in {400, 431}
        form = {**dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)), "answer": "A"}
        assert asked("POST", "/answer", form, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert asked("POST", "/answer", form, **{"Sec-Fetch-Site": "same-origin"})[0] == 303
    raw = type(wire)(proxy)
    assert raw.send(b"GET /static/icon.svg HTTP/1.0\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 200")
    lengths = raw.head("POST", "/answer", "Content-Length: 5", "Transfer-Encoding: chunked")
    assert raw.send(lengths + b"0\r\n\r\n" + raw.head("GET", "/")).count(b"HTTP/1.1 ") == 1
    assert "pgrade" not in capfd.readouterr().err
