"""How requests/flask is served: as the study served it, by four workers of one
request each. Such a worker closes the connection after each response.

The port answers as soon as the first worker is up; the others would then still be
loading the program while it is measured. So the last one says that all are.
"""

import multiprocessing
import os

workers = 4
worker_class = "sync"
graceful_timeout = 10  # seconds for open requests and for the last spans
control_socket_disable = True

_loaded = multiprocessing.Value("i", 0)  # workers that have loaded the program


_views = None  # what profiles them, where the environment asks for it


def post_worker_init(worker):
    global _views
    if os.environ.get("PROFILE_VIEWS"):
        import studied

        _views = studied.Views(worker.wsgi)
    with _loaded.get_lock():
        _loaded.value += 1
        if _loaded.value == workers:
            worker.log.info("all %d workers are ready", workers)


def worker_exit(server, worker):
    if _views is not None:
        worker.log.info("cProfile: %s", _views.found())
