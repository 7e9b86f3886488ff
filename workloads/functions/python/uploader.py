"""uploader: a file from a web server, put into the object store."""

import os
import tempfile
import urllib.request
from pathlib import Path

from objects import PART, client
from tracing import span


def handler(event, context):
    size = event["size"]
    key = f"payload-{size}"
    with span("handler", attributes={"size": size}), tempfile.TemporaryDirectory() as folder:
        path = Path(folder, key)
        with span("download"):
            urllib.request.urlretrieve(f"{os.environ['PAYLOADS']}/{size}", path)
        with span("upload"):
            client.fput_object("uploads", key, str(path), part_size=PART)
        return {"key": key}
