"""Nothing but a database, templates and two middlewares; FLOOR_DATABASE_URL is the site's database."""

import os

import dj_database_url

from bench.floor.names import FLOOR

SECRET_KEY = "of nothing"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "bench.floor.urls"
INSTALLED_APPS: list[str] = []
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]
DATABASES = {"default": dj_database_url.parse(os.environ["FLOOR_DATABASE_URL"], conn_max_age=60)}
DATABASES["default"].setdefault("OPTIONS", {})["application_name"] = FLOOR
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [os.path.join(os.path.dirname(__file__), "templates")],
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
