"""How requests/flask is served: as the study served it, by four workers of one
request each. Such a worker closes the connection after each response."""

workers = 4
worker_class = "sync"
graceful_timeout = 10  # seconds for open requests and for the last spans
control_socket_disable = True
