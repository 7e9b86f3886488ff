"""A service as Django's template makes it: the program itself says where its settings are."""

import os

from django.core.asgi import get_asgi_application
from django.http import JsonResponse
from django.urls import path

ROOT_URLCONF = __name__
SECRET_KEY = "of a test"
ALLOWED_HOSTS = ["*"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
urlpatterns = [path("items", lambda request: JsonResponse({"items": [2]}))]

os.environ.setdefault("DJANGO_SETTINGS_MODULE", __name__)
app = get_asgi_application()
