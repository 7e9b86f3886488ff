"""video-processing: a film from the object store, with a watermark or as a GIF, and put back."""

import os
import subprocess
import tempfile
from pathlib import Path

from objects import client
from tracing import span

EXACT = ["-threads", "1", "-fflags", "+bitexact", "-flags", "+bitexact"]


def call_ffmpeg(arguments):
    with span("call_ffmpeg"):
        subprocess.run(
            [os.environ["FFMPEG"], "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *arguments],
            check=True,
        )


def watermark(film, seconds, folder):
    with span("watermark"):
        out = folder / "watermark.mp4"
        overlay = "overlay=(main_w-overlay_w)/2:(main_h-overlay_h)/2"
        call_ffmpeg(["-threads", "1", "-i", film, "-i", os.environ["WATERMARK"], "-t", str(seconds), "-filter_complex", overlay, *EXACT, out])
        return out


def to_gif(film, seconds, folder):
    with span("to_gif"):
        out = folder / "film.gif"
        scale = "fps=10,scale=320:-1:flags=lanczos,split[a][b];[a]palettegen[p];[b][p]paletteuse"
        call_ffmpeg(["-threads", "1", "-t", str(seconds), "-i", film, "-filter_complex", scale, *EXACT, out])
        return out


OPERATIONS = {"watermark": watermark, "gif": to_gif}


def handler(event, context):
    operation, seconds = event["operation"], event["seconds"]
    with span("handler", attributes={"operation": operation, "seconds": seconds}), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = folder / "input.mp4"
        with span("download"):
            client.fget_object("inputs", event["key"], str(film))
        with span("process"):
            out = OPERATIONS[operation](film, seconds, folder)
        with span("upload"):
            client.fput_object("outputs", out.name, str(out))
        return {"key": out.name}
