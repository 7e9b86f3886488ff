"""The object store, whose address is in OBJECTS."""

import os

from minio import Minio

PART = 64 * 1024 * 1024  # what is longer is sent in parts: as many bytes as the client for JavaScript has

client = Minio(
    os.environ["OBJECTS"],
    access_key=os.environ["OBJECTS_ACCESS_KEY"],
    secret_key=os.environ["OBJECTS_SECRET_KEY"],
    secure=False,
    region="us-east-1",
)
