"""Four of TechEmpower's tests in Flask, with SQLAlchemy on PostgreSQL.

It holds nothing of tracing: that is attached from outside.

    DATABASE_URL=postgresql+psycopg://… gunicorn --bind 127.0.0.1:8080 world:app
"""

import os
from random import randint, sample

from flask import Flask, jsonify, request
from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

ROWS = 10_000
MOST_QUERIES = 500


class Base(DeclarativeBase):
    pass


class World(Base):
    __tablename__ = "world"

    id: Mapped[int] = mapped_column(primary_key=True)
    random_number: Mapped[int] = mapped_column("randomnumber")

    def as_dict(self):
        return {"id": self.id, "randomNumber": self.random_number}


def open_database(url):
    """Return an engine whose pool holds its one connection already.

    A worker has one request at a time, so it needs no second connection. It is
    opened here so that no request pays for it.
    """
    engine = create_engine(url, pool_size=1, max_overflow=0)
    engine.connect().close()
    return engine


def random_ids(count):
    """Return ids that differ: the session would not ask twice for one."""
    return sample(range(1, ROWS + 1), count)


def queries():
    """Return how many rows the client asks for: 1 to 500, and 1 if it cannot be told."""
    try:
        count = int(request.args["queries"])
    except (KeyError, ValueError):
        return 1
    return min(max(count, 1), MOST_QUERIES)


def new_app():
    app = Flask("world")
    engine = open_database(os.environ["DATABASE_URL"])

    @app.get("/json")
    def json():
        return jsonify(message="Hello, World!")

    @app.get("/db")
    def db():
        with Session(engine) as session:
            return jsonify(session.get(World, randint(1, ROWS)).as_dict())

    @app.get("/queries")
    def several():
        with Session(engine) as session:
            worlds = [session.get(World, id) for id in random_ids(queries())]
            return jsonify([world.as_dict() for world in worlds])

    @app.get("/updates")
    def updates():
        # The answer is built before the commit, after which the session would read each row again.
        with Session(engine) as session, session.begin():
            worlds = [session.get(World, id) for id in random_ids(queries())]
            for world in worlds:
                world.random_number = randint(1, ROWS)
            return jsonify([world.as_dict() for world in worlds])

    return app


app = new_app()
