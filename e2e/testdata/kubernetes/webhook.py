"""Stands for the webhook of the OpenTelemetry Operator: it injects what its packages hold into pods that ask for Python.

    webhook.py PACKAGES CERTIFICATE KEY ADDRESS PORT
"""

import base64
import http.server
import json
import ssl
import sys

PACKAGES, CERTIFICATE, KEY, ADDRESS, PORT = sys.argv[1:]
FOLDER = "/otel-auto-instrumentation-python"


def changes(pod):
    """Return what makes a pod one that is injected, as the Operator does it, with a folder of the node in the place of its image."""
    if pod["metadata"].get("annotations", {}).get("instrumentation.opentelemetry.io/inject-python") != "true":
        return []
    main = pod["spec"]["containers"][0]
    env = [one for one in main.get("env", []) if one["name"] != "PYTHONPATH"]
    before = [one["value"] for one in main.get("env", []) if one["name"] == "PYTHONPATH"]
    path = ":".join([FOLDER + "/opentelemetry/instrumentation/auto_instrumentation", *before, FOLDER])
    main["env"] = env + [{"name": "PYTHONPATH", "value": path}]
    main.setdefault("volumeMounts", []).append({"name": "injected", "mountPath": FOLDER, "readOnly": True})
    pod["spec"].setdefault("volumes", []).append({"name": "injected", "hostPath": {"path": PACKAGES}})
    return [{"op": "replace", "path": "/spec", "value": pod["spec"]}]


class Webhook(http.server.BaseHTTPRequestHandler):
    """Answers an AdmissionReview."""

    def do_POST(self):  # noqa: N802
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        patch = base64.b64encode(json.dumps(changes(asked["request"]["object"])).encode()).decode()
        answer = {"uid": asked["request"]["uid"], "allowed": True, "patchType": "JSONPatch", "patch": patch}
        text = json.dumps({"apiVersion": asked["apiVersion"], "kind": "AdmissionReview", "response": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


server = http.server.ThreadingHTTPServer((ADDRESS, int(PORT)), Webhook)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
