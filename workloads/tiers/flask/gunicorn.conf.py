"""How the three processes of tiers/flask are served.

One worker fills the one CPU that the workload asks for. It has threads because
a worker without them closes each connection after one request.
"""

workers = 1
worker_class = "gthread"
threads = 8
keepalive = 75  # seconds; longer than the pauses between the phases of a run
graceful_timeout = 10  # seconds for open requests and for the last spans
control_socket_disable = True  # it would be one file for all processes
