"""dynamic-html: a page with so many random numbers, from a template."""

import random
from datetime import datetime, timezone
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from tracing import span

templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)


def handler(event, context):
    size = event["size"]
    with span("handler", attributes={"size": size}):
        numbers = random.Random(event["seed"]).sample(range(1_000_000), size)
        return templates.get_template("page.html").render(
            user=event["user"], now=datetime.now(timezone.utc), numbers=numbers
        )
