"""A small Flask service that is there to be traced.

It has three operations of rising weight, the last of which calls a second
process of the same program. It holds nothing of tracing: that is attached from
outside.

    gunicorn --bind 127.0.0.1:8080 hello:app
    gunicorn --bind 127.0.0.1:8081 hello:downstream
"""

import hashlib
import os

import requests
from flask import Flask, jsonify
from requests.adapters import HTTPAdapter

# The work of one /cpu request: about 200 µs on one core of a 2020s server. It is
# an amount and not a time, so that tracing cannot take part of it away.
HASH_ROUNDS = 720

GREETING = {"message": "hello", "number": 42, "tags": ["small", "json"]}


def new_session():
    """Return a session that keeps a connection for each thread of the server."""
    session = requests.Session()
    session.mount("http://", HTTPAdapter(pool_maxsize=64))
    session.trust_env = False  # a proxy of the machine is not for loopback
    return session


def new_app():
    """Return the process that clients talk to."""
    app = Flask("hello")
    session = new_session()
    downstream_url = os.environ.get("DOWNSTREAM", "http://127.0.0.1:8081") + "/downstream"

    @app.get("/healthz")
    def healthz():
        return "", 204

    @app.get("/json")
    def json():
        return jsonify(GREETING)

    @app.get("/cpu")
    def cpu():
        digest = hashlib.sha256(b"hello").digest()
        for _ in range(HASH_ROUNDS):
            digest = hashlib.sha256(digest).digest()
        return jsonify(rounds=HASH_ROUNDS, sha256=digest.hex())

    @app.get("/remote")
    def remote():
        answer = session.get(downstream_url, timeout=10)
        answer.raise_for_status()
        return jsonify(answer.json())

    return app


def new_downstream():
    """Return the process that /remote calls."""
    app = Flask("downstream")

    @app.get("/healthz")
    def healthz():
        return "", 204

    @app.get("/downstream")
    def greet():
        return jsonify(GREETING)

    return app


app = new_app()
downstream = new_downstream()
