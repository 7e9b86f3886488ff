"""thumbnailer: a picture from the object store, made small, and put back."""

import io

from PIL import Image

from objects import client
from tracing import span


def download(key):
    with span("download"):
        answer = client.get_object("inputs", key)
        try:
            return answer.read()
        finally:
            answer.close()
            answer.release_conn()


def resize_image(picture, width, height):
    with span("resize_image"):
        with Image.open(io.BytesIO(picture)) as image:
            image.thumbnail((width, height))
            out = io.BytesIO()
            image.save(out, format="JPEG")
            return out.getvalue(), image.size


def resize(picture, width, height):
    with span("resize"):
        return resize_image(picture, width, height)


def handler(event, context):
    width, height = event["width"], event["height"]
    with span("handler", attributes={"width": width, "height": height}):
        small, size = resize(download(event["key"]), width, height)
        with span("upload"):
            client.put_object("outputs", "thumbnail.jpg", io.BytesIO(small), len(small), content_type="image/jpeg")
        return {"key": "thumbnail.jpg", "width": size[0], "height": size[1]}
