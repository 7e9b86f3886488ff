"""A service as FastAPI's users write it: one route that asks a database."""

import sqlite3

from fastapi import FastAPI

app = FastAPI()


@app.get("/items")
def items():
    with sqlite3.connect(":memory:") as db:
        cursor = db.cursor()
        return {"items": cursor.execute("SELECT 1 + 1").fetchone()}
