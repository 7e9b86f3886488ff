import os
from typing import Annotated

import jwt
from fastapi import Depends, FastAPI
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from sqlalchemy import create_engine, text

KEY = os.environ.get("SHOP_KEY", "a key of thirty-two bytes or more")
engine = create_engine(os.environ["DATABASE_URL"], pool_size=5)
app = FastAPI()


@app.get("/health")
def health():
    return {}


@app.post("/token")
def login(form: Annotated[OAuth2PasswordRequestForm, Depends()]):
    return {"access_token": jwt.encode({"sub": form.username}, KEY, algorithm="HS256")}


@app.get("/orders")
def orders(token: Annotated[str, Depends(OAuth2PasswordBearer(tokenUrl="token"))]):
    who = jwt.decode(token, KEY, algorithms=["HS256"])["sub"]
    with engine.connect() as db:
        rows = db.execute(text("SELECT id, item, price FROM orders WHERE customer = :who LIMIT 20"), {"who": who})
        return [dict(row._mapping) for row in rows]
