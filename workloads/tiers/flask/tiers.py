"""One tier of three: front passes a request on to middle, middle to back, and back computes.

It holds nothing of tracing: that is attached from outside.

    gunicorn --bind 127.0.0.1:8082 tiers:app
    NEXT=http://127.0.0.1:8082 gunicorn --bind 127.0.0.1:8081 tiers:app
"""

import os
import random

import requests
from flask import Flask, Response, request
from requests.adapters import HTTPAdapter

LARGE = "x" * 4_000_000
DIGITS = 20  # of pi
GUARD = 10**10  # digits beyond them, for what is rounded away
SIZE = 40  # of a matrix


def factorial():
    product = 1
    for n in range(2, 101):
        product *= n
    return str(product)


def arctan(x, one):
    """Return one times the arctangent of 1/x."""
    power = total = one // x
    n, sign = 3, -1
    while power:
        power //= x * x
        total += sign * (power // n)
        n, sign = n + 2, -sign
    return total


def pi():
    """Return the first digits of pi, by Machin's formula."""
    one = 10 ** (DIGITS - 1) * GUARD
    return str(4 * (4 * arctan(5, one) - arctan(239, one)) // GUARD)


def matrix():
    """Return the sum over the product of a matrix with itself."""
    a = [[SIZE * i + j for j in range(SIZE)] for i in range(SIZE)]
    total = 0
    for i in range(SIZE):
        for j in range(SIZE):
            total += sum(a[i][k] * a[k][j] for k in range(SIZE))
    return str(total)


def fails():
    """Compute, or raise an exception with probability p."""
    if random.random() < float(request.args.get("p", 0)):
        raise ArithmeticError("as was asked for")
    return factorial()


WORK = {"small": lambda: "x", "large": lambda: LARGE, "factorial": factorial, "pi": pi, "matrix": matrix, "fails": fails}


def new_app(next_tier):
    """Return the tier that asks next_tier; the last one has none."""
    app = Flask("tiers")
    session = requests.Session()
    session.mount("http://", HTTPAdapter(pool_maxsize=64))  # a connection for each thread of the server
    session.trust_env = False  # a proxy of the machine is not for loopback

    @app.get("/healthz")
    def healthz():
        return "", 204

    @app.get("/<work>")
    def do(work):
        if next_tier:
            answer = session.get(next_tier + request.full_path, timeout=10)
            return Response(answer.content, answer.status_code, mimetype="text/plain")
        if work not in WORK:
            return Response("there is no such work", 404, mimetype="text/plain")
        return Response(WORK[work](), mimetype="text/plain")

    @app.errorhandler(500)
    def failed(_):
        return Response("failed", 500, mimetype="text/plain")

    return app


app = new_app(os.environ.get("NEXT", ""))
