"""Orders, a line each, and the answers to them."""

import gc
import re
import socket
import sys

from calls.order import Order
from calls.stretch import Stretch


class Server:
    """Carries out one order after the other."""

    def __init__(self):
        self._stretch = None

    def listen(self, port):
        """Listens until the work is over: at "stop", or where a connection ends on which a line came."""
        with socket.create_server(("127.0.0.1", port), backlog=1) as server:
            over = False
            while not over:
                connection, _ = server.accept()
                with connection:
                    over = self._talk(connection)

    def _talk(self, connection):
        """Returns whether the work is over. A connection without a line only asked whether anybody listens."""
        asked = False
        try:
            for line in connection.makefile(encoding="ascii", errors="replace"):
                asked = True
                line = line.removesuffix("\n")
                connection.sendall((self._answer(line) + "\n").encode("ascii"))
                if line == "stop":
                    return True
        except ConnectionError as error:  # a broken connection is an ended one
            if asked:
                print(f"calls: the connection broke: {error}", file=sys.stderr)
        return asked

    def _answer(self, line):
        try:
            return self._carry_out(*line.split(" ", 1))
        except (ValueError, OSError, MemoryError) as error:
            return "error " + re.sub(r"[^ -~]+", " ", f"{type(error).__name__}: {error}")

    def _carry_out(self, verb, words=""):
        match verb:
            case "prepare":
                order = Order.parse(words)
                self._stretch = None  # its arrays make room for the new ones
                self._stretch = Stretch(order)
                return "prepared moments=1"
            case "run":
                return "done " + self._prepared().make()
            case "write":
                return f"written samples={self._prepared().write()}"
            case "live":
                gc.collect()
                return "live"  # how much is in use, Python cannot tell without slowing down
            case "stop":
                return "bye"
        raise ValueError(f'unknown order "{verb}"')

    def _prepared(self):
        if self._stretch is None:
            raise ValueError("no order was prepared")
        return self._stretch
