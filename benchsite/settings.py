"""Every setting of the site, read once from the environment; .env.example lists and explains them.

Each NAME may instead be given as NAME_FILE, a file with the value, as Docker and Kubernetes mount secrets.
"""

import hashlib
from decimal import Decimal
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue
from whitenoise.compress import Compressor

from benchsite import api_settings, packs, schedule
from benchsite.env import ed25519, env, flag, is_loopback, label, one_of, positive, rate, url, usd, whole, words
from benchsite.keys import secret_key
from benchsite.ops import logs
from benchsite.postgresql import databases
from benchsite.processes import embedded, machine
from benchsite.redis import servers as redis_servers

BASE_DIR = Path(__file__).resolve().parent.parent
MIB = 1024 * 1024

DEBUG = env("DEBUG", flag, default=False)
DATA_DIR = Path(env("DATA_DIR", default=str(BASE_DIR / ".data"))).absolute()

# Images, tests and labs: an operator sets none of these

EMBEDDED_DURABLE = env("EMBEDDED_DURABLE", flag, default=True)  # 0 only in tests: no fsync
REDIS_PREFIX = env("REDIS_PREFIX", default="benchsite")  # keeps parallel test workers apart on one Redis
STATIC_ROOT = Path(env("STATIC_ROOT", default=str(DATA_DIR / "static"))).absolute()
# 1: compressed files named by their hash, made by collectstatic. 0: the files of the source.
STATIC_MANIFEST = env("STATIC_MANIFEST", flag, default=not DEBUG)
METRICS_HOST = env("METRICS_HOST", default="127.0.0.1")  # compose: 0.0.0.0 of a container
GCE_ENDPOINT = env("GCE_ENDPOINT", url("http", "https"), default=None)  # of a lab: called without credentials
RUN_SETTLE_SECONDS = 30  # a cloud lists new machines late: before that, an empty list proves nothing
RUN_SWEEP_MARGIN_MINUTES = 15  # between a run's deadline and the sweep
RUN_PROCESSES = 4096  # processes and threads of the account of runs on this machine

# Services: embedded ones of DATA_DIR for each address that is not given

DATABASE_URL = env("DATABASE_URL", url("postgres", "postgresql"), default=None)
REDIS_URL = env("REDIS_URL", url("redis", "rediss", "unix"), default=None)  # the queue and all counters: no eviction
CACHE_REDIS_URL = env("CACHE_REDIS_URL", url("redis", "rediss", "unix"), default=None)  # what can be made again
redis_servers.require_both(REDIS_URL, CACHE_REDIS_URL)
_ADDRESSES = {embedded.POSTGRES: DATABASE_URL, embedded.REDIS: REDIS_URL, embedded.CACHE: CACHE_REDIS_URL}
EMBEDDED_SERVICES = tuple(service for service, address in _ADDRESSES.items() if not address)
DATABASE_URL = DATABASE_URL or embedded.database_url(DATA_DIR)
REDIS_URL = REDIS_URL or embedded.redis_url(DATA_DIR)
CACHE_REDIS_URL = CACHE_REDIS_URL or embedded.cache_url(DATA_DIR)

HOST = env("HOST", default="127.0.0.1")  # where the web server of `serve` listens
# A site with its own services that only this machine reaches speaks plain HTTP, and trusts whoever signs in.
IS_ONE_MACHINE = {embedded.POSTGRES, embedded.REDIS} <= set(EMBEDDED_SERVICES)
LOCAL_SITE = IS_ONE_MACHINE and all(map(is_loopback, [HOST, *env("ALLOWED_HOSTS", words, default=[])]))

DATABASES = databases.configured(DATABASE_URL)
DATABASE_ROUTERS = databases.routers(DATABASES)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# What takes longer is cancelled, so that a costly page cannot occupy the database; 0: no limit
STATEMENT_SECONDS = env("STATEMENT_SECONDS", whole, default=20)
WORKER_STATEMENT_SECONDS = env("WORKER_STATEMENT_SECONDS", whole, default=15 * 60)

CACHES = redis_servers.configured(REDIS_URL, CACHE_REDIS_URL, REDIS_PREFIX)

# Doors
SECRET_KEY = env("SECRET_KEY", default="")
if not SECRET_KEY:
    if not (IS_ONE_MACHINE or DEBUG):
        raise ImproperlyConfigured("SECRET_KEY must be set when DATABASE_URL or REDIS_URL is: see .env.example")
    SECRET_KEY = secret_key.secret_key_of(DATA_DIR)
SIGNING_KEY = env("SIGNING_KEY", ed25519, default="")  # of bundles and receipts; unset: a file of DATA_DIR

PORT = env("PORT", whole, default=8000)
WEB_WORKERS = env("WEB_WORKERS", whole, default=min(machine.processors(), 4))
# of each web worker for reading; as many for writing, two for costly pages
WEB_THREADS = env("WEB_THREADS", positive, default=4)
METRICS_PORT = env("METRICS_PORT", whole, default=0)  # for Prometheus, on the inner network only; 0: off
TASK_WORKERS = env("TASK_WORKERS", whole, default=min(machine.processors(), 2))
RUN_WORKERS = env("RUN_WORKERS", positive, default=1 if LOCAL_SITE else 2)  # kept for runs, whatever else waits

LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
if LOCAL_SITE or DEBUG:
    ALLOWED_HOSTS = env("ALLOWED_HOSTS", words, default=[*LOOPBACK_HOSTS, HOST])
else:
    ALLOWED_HOSTS = env("ALLOWED_HOSTS", words)
CSRF_TRUSTED_ORIGINS = env("CSRF_TRUSTED_ORIGINS", words, default=[])
PROXIES = env("PROXIES", whole, default=0)  # how many reverse proxies of ours stand before the site

HTTPS = env("HTTPS", flag, default=not (LOCAL_SITE or DEBUG))
if not HTTPS and not (LOCAL_SITE or DEBUG or all(map(is_loopback, ALLOWED_HOSTS))):
    raise ImproperlyConfigured("HTTPS=0 is for a site on loopback: ALLOWED_HOSTS has other names")
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env("SECURE_HSTS_SECONDS", whole, default=365 * 24 * 3600) if HTTPS else 0
# Both bind the whole domain for as long: its owner decides
SECURE_HSTS_INCLUDE_SUBDOMAINS = env("SECURE_HSTS_INCLUDE_SUBDOMAINS", flag, default=False)
SECURE_HSTS_PRELOAD = env("SECURE_HSTS_PRELOAD", flag, default=False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they ask for these two
# How mails, webhooks and the links of previews name the site: no request tells the one address of a page.
SITE_URL = env("SITE_URL", url("http", "https"), default="").rstrip("/")
if not SITE_URL and LOCAL_SITE:
    SITE_URL = f"http://{HOST}:{PORT}"
elif not SITE_URL:
    _named = [host.lstrip(".") for host in ALLOWED_HOSTS if host != "*"] or [HOST]
    SITE_URL = f"https://{_named[0]}" if HTTPS else f"http://{_named[0]}:{PORT}"
if PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
X_FRAME_OPTIONS = "DENY"

# No inline script and no inline style. Browsers check no style that a script sets through the CSSOM.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],  # exported charts and the icons of the API's page
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "report-uri": "/csp-report/",
    }
}

# Django itself

ROOT_URLCONF = "benchsite.urls"
INSTALLED_APPS = [
    "benchsite",
    "submissions",
    "runners",
    "benchsite.admin_config.Admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "benchsite.storage.staticfiles.StaticFiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "django_filters",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "knox",
    "pgtrigger",
    "rest_framework",
]
MIDDLEWARE = [
    "benchsite.http.request_ids.RequestIdMiddleware",
    "benchsite.ops.counts.CountMiddleware",
    "benchsite.ops.health.HealthMiddleware",
    "benchsite.replicas.middleware.ReplicaMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "benchsite.http.csp.PolicyMiddleware",
    "benchsite.http.private_parameters.PrivateParametersMiddleware",
    "benchsite.http.response_cache.ResponseCacheMiddleware",
    "benchsite.http.compression.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "benchsite.http.problems.OutageMiddleware",
    "submissions.api.currency.CurrencyMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "benchsite.http.limits.charging.ChargeMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
LANGUAGE_CODE, TIME_ZONE, USE_TZ = "en-gb", "UTC", True
PRIVATE_PARAMETERS = frozenset({"discount"})  # of addresses: benchsite/http/private_parameters.py
LOGGING = logs.configuration(
    private_parameters=PRIVATE_PARAMETERS,
    level=env("LOG_LEVEL", one_of("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO"),
    form=env("LOG_FORMAT", one_of("console", "json"), default="console" if LOCAL_SITE or DEBUG else "json"),
)

# Files

# A log is read in pieces from a temporary file; what is refused for its size is refused by ingest, with a reason.
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "benchsite.storage.temporary.TemporaryUploads",
]
FILE_UPLOAD_MAX_MEMORY_SIZE, DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * MIB, 10 * MIB
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
DATA_UPLOAD_MAX_NUMBER_FILES = 100

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = not STATIC_MANIFEST
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

S3_BUCKET = env("S3_BUCKET", default=None)  # region, keys and AWS_ENDPOINT_URL are read by boto3 itself
STORAGES = {
    "default": {
        "BACKEND": "benchsite.storage.bucket.BucketStorage",
        "OPTIONS": {"bucket_name": S3_BUCKET, "location": "artifacts", "file_overwrite": False, "default_acl": None},
    }
    if S3_BUCKET
    else {
        "BACKEND": "benchsite.storage.backends.FolderStorage",
        "OPTIONS": {
            "location": DATA_DIR / "artifacts",
            "base_url": None,
            "directory_permissions_mode": 0o700,
            "durable": EMBEDDED_DURABLE,
        },
    },
    "staticfiles": {
        "BACKEND": "benchsite.storage.static_storage.StaticStorage"
        if STATIC_MANIFEST
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

CONTACT_EMAIL = env("CONTACT_EMAIL", default="")  # of the operators; shown on /terms/, /privacy/ and in security.txt
SOURCE_CODE_URL = env("SOURCE_CODE_URL", url("https", "http"), default=None)  # linked from every page

# Accounts

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "submissions.accounts.tokens.RevokesTokens"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/account/"
LOGOUT_REDIRECT_URL = ACCOUNT_LOGOUT_REDIRECT_URL = "/"
# Who may open an account: everybody, who has an invitation (manage.py invite, or the admin), or nobody
SIGNUP = env("SIGNUP", one_of("open", "invite", "closed"), default="open" if LOCAL_SITE or DEBUG else "invite")
STAFF_NEEDS_SECOND_FACTOR = not (LOCAL_SITE or DEBUG)
MFA_ADAPTER = "benchsite.keys.second_factor.SecondFactorAdapter"
MFA_TOTP_TOLERANCE = 1  # a phone's clock may be half a minute off

EMAIL_HOST = env("EMAIL_HOST", default="")
ACCOUNT_ADAPTER = "submissions.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "submissions.accounts.forms.SignUpForm",
    "reset_password": "submissions.accounts.forms.ResetForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
# Where no mail can be sent, an address is optional and nobody can verify it.
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if EMAIL_HOST else "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_HOST else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = bool(EMAIL_HOST)  # of a changed password, address or second factor
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # nobody gets a mail because somebody typed their address
# Who follows the link of the mail is the owner: signed in at once, also while strangers' guesses lock other browsers
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
# Wrong passwords: of an address, and of a name from it; of a name from anywhere; of an account by a browser of its own
ACCOUNT_RATE_LIMITS = {
    "login_failed": "10/m/ip,5/300s/key",  # the second factor of an account, too
    "login_failed_anywhere": "100/h/key",
    "login_failed_browser": "5/300s/key",
}

EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env("EMAIL_PORT", whole, default=587)
EMAIL_HOST_USER = env("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = env("EMAIL_USE_TLS", flag, default=True)
EMAIL_TIMEOUT = 10  # seconds
ADMINS = [(address, address) for address in env("ADMINS", words, default=[])]  # are told what needs an operator
SERVER_EMAIL = DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", default="benchsite@localhost")

# API

# Larger imports are read by a worker, and the answer is 202.
IMPORT_IN_REQUEST_BYTES = env("IMPORT_IN_REQUEST_BYTES", whole, default=5 * MIB)
MAX_UPLOAD_BYTES = env("MAX_UPLOAD_BYTES", whole, default=512 * MIB)  # one request with logs, as it is sent
MAX_BULK_BYTES = env("MAX_BULK_BYTES", whole, default=512 * MIB)  # one request with NDJSON
# Documents and raw files of one account, uploads in progress included: in all, and of 24 hours; 0: no limit
MAX_USER_BYTES = env("MAX_USER_BYTES", whole, default=20 * 1024 * MIB)
MAX_USER_BYTES_DAY = env("MAX_USER_BYTES_DAY", whole, default=2 * 1024 * MIB)
# Results of one account in 24 hours: of one whose first results wait for a moderator, and of others; 0: no limit
MAX_NEW_USER_RESULTS_DAY = env("MAX_NEW_USER_RESULTS_DAY", whole, default=100)
MAX_USER_RESULTS_DAY = env("MAX_USER_RESULTS_DAY", whole, default=10_000)
# The addresses that take more than DATA_UPLOAD_MAX_MEMORY_SIZE; the web server reads no body beyond these.
LARGE_BODIES = {
    "/submissions/new/": MAX_UPLOAD_BYTES,
    "/api/v1/submissions/import/": MAX_UPLOAD_BYTES,
    "/api/v1/submissions/bulk/": MAX_BULK_BYTES,
}
# With less free space on the disk of DATA_DIR uploads are refused; reading goes on.
MIN_FREE_BYTES = env("MIN_FREE_BYTES", whole, default=1024 * MIB)

REST_FRAMEWORK = api_settings.REST_FRAMEWORK | {
    "DEFAULT_THROTTLE_RATES": {
        "anon": env("THROTTLE_ANON", rate, default="120/min"),
        "user": env("THROTTLE_USER", rate, default="600/min"),
        "pages": env("THROTTLE_PAGES", rate, default="600/min"),
        "upload": env("THROTTLE_UPLOAD", rate, default="120/min"),
        "share": "30/min",  # short links
        "share_day": "200/day",
    },
}
KNOX_TOKEN_MODEL, REST_KNOX = api_settings.KNOX_TOKEN_MODEL, api_settings.REST_KNOX
MIGRATION_MODULES, SPECTACULAR_SETTINGS = api_settings.MIGRATION_MODULES, api_settings.SPECTACULAR_SETTINGS

PAGE_CACHE_SECONDS = env("PAGE_CACHE_SECONDS", whole, default=2)  # of pages asked for without a cookie; 0: never kept

# Background work: the database is the truth, a lost or doubled message must do no harm

PACKS = packs.configured(BASE_DIR / "submissions" / "data" / "packs")  # a worker loads them
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": f"{REDIS_PREFIX}:",
    "visibility_timeout": 3600,
    "socket_connect_timeout": 5,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER, CELERY_RESULT_SERIALIZER, CELERY_ACCEPT_CONTENT = "json", "json", ["json"]
CELERY_TASK_ACKS_LATE = CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
# Runs spend money: they wait for no import. A worker started without --queues serves both.
DEFAULT_QUEUE, RUNS_QUEUE = "celery", "runs"
CELERY_TASK_DEFAULT_QUEUE = DEFAULT_QUEUE
CELERY_TASK_QUEUES = [Queue(name) for name in (DEFAULT_QUEUE, RUNS_QUEUE)]  # type: ignore[no-untyped-call]
CELERY_TASK_ROUTES = {f"runners.tasks.drive{of}": {"queue": RUNS_QUEUE} for of in ("", "_due", "_series")}
RUN_MESSAGE_SECONDS = 5 * 60  # more than the clocks of two machines may differ
CELERY_BEAT_SCHEDULE = schedule.tasks(RUN_MESSAGE_SECONDS)
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")

# A result counts for a reproduction when its account has a verified address and is so old
REPRODUCTION_ACCOUNT_DAYS = env("REPRODUCTION_ACCOUNT_DAYS", whole, default=14)

# Runs: which clouds, how much money, how many at a time

# `local` is the machine of the one worker: where workers are several, each would look for the others' processes.
RUN_PROVIDERS = env("RUN_PROVIDERS", words, default=["local"] if LOCAL_SITE else [])
# Who may start runs: on a site of one machine whoever is signed in, elsewhere who has the permission `add run`
RUNS_NEED_PERMISSION = env("RUNS_NEED_PERMISSION", flag, default=not LOCAL_SITE)
MAX_RUN_USD = env("MAX_RUN_USD", usd, default=Decimal(50))
MAX_USER_MONTH_USD = env("MAX_USER_MONTH_USD", usd, default=Decimal(200))
MAX_MONTH_USD = env("MAX_MONTH_USD", usd, default=Decimal(1000))
RUN_UNPRICED_VCPU_USD = env("RUN_UNPRICED_VCPU_USD", usd, default=Decimal("0.25"))  # an hour at most; 0: no such runs
MAX_OPEN_RUNS = env("MAX_OPEN_RUNS", whole, default=4)
MAX_USER_OPEN_RUNS = env("MAX_USER_OPEN_RUNS", whole, default=1)
MAX_USER_QUEUED_RUNS = env("MAX_USER_QUEUED_RUNS", whole, default=5)
# Runs on this machine: where root starts the site, they work under an account of their own, made when it is missing.
RUN_ACCOUNT = env("RUN_ACCOUNT", default="benchrun")
MAX_LOCAL_MINUTES = env("MAX_LOCAL_MINUTES", whole, default=120)
RUN_MEMORY_MIB = env("RUN_MEMORY_MIB", whole, default=0)  # of a process; 0: three quarters of the machine's
RUN_SSH_CIDR = env("RUN_SSH_CIDR", default="127.0.0.1/32")  # the workers' address; with a cloud it must be set
WEBHOOK_PRIVATE = env("WEBHOOK_PRIVATE", flag, default=False)  # 1: webhooks may go to http and to our own network
# Whom a user lets act in an account of their own: shown on the page that explains it.
RUN_AWS_IDENTITY = env("RUN_AWS_IDENTITY", default="")
RUN_GCE_IDENTITY = env("RUN_GCE_IDENTITY", default="")
# On everything that the site makes in a cloud: two sites on one account leave each other's machines alone.
SITE_ID = env("SITE_ID", label, default=f"s{hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:12]}")
# What the hosts of a run download: <mirror>/<version>/apache-cassandra-<version>-bin.tar.gz with its .sha512 or .sha256
CASSANDRA_MIRROR = env("CASSANDRA_MIRROR", default="https://archive.apache.org/dist/cassandra")
CASSANDRA_STRESS_VERSION = env("CASSANDRA_STRESS_VERSION", default="")  # unset: the tool of the server's own release
JDK_MIRROR = env("JDK_MIRROR", default="")  # <mirror>/<vendor>/<vendor>-<version>.tar.gz, .sha256; unset: OpenJDK only
MAVEN_MIRROR = env("MAVEN_MIRROR", default="")  # YCSB; a library of cassandra-stress 4.x on Java 11+; the profiler
LATTE_MIRROR = env("LATTE_MIRROR", default="")  # <mirror>/latte-<version>-<uname -m>, the program, with its .sha256
AWS_IMAGE = env("AWS_IMAGE", default="ubuntu-24.04")  # has Java 8, 11, 17 and 21
AWS_ROOT_GIB = env("AWS_ROOT_GIB", whole, default=40)
RUN_VPC_ID = env("RUN_VPC_ID", default=None)  # unset: the default VPC of each region
GCE_PROJECT = env("GCE_PROJECT", default=None)
GCE_IMPERSONATE = env("GCE_IMPERSONATE", default=None)  # a service account's address
GCE_IMAGE = env("GCE_IMAGE", default="ubuntu-2404-lts-amd64")
GCE_ROOT_GIB = env("GCE_ROOT_GIB", whole, default=40)
GCE_NETWORK = env("GCE_NETWORK", default="default")
GCE_SUBNETWORK = env("GCE_SUBNETWORK", default=None)
