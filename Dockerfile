# One image for web, worker, beat and prepare. BASE_IMAGE: any Debian or Ubuntu, with or without Python 3.11+.
ARG BASE_IMAGE=python:3.13.9-slim-trixie

# hadolint ignore=DL3006
FROM ${BASE_IMAGE} AS build
# hadolint ignore=DL3008
RUN python3 -c 'import ensurepip, venv' 2>/dev/null \
 || { apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv; }
RUN python3 -m venv /venv
WORKDIR /app
COPY requirements.txt ./
RUN /venv/bin/pip install --no-cache-dir --require-hashes --no-deps --requirement requirements.txt
COPY . .
# The key only lets settings.py load; it signs nothing. A host that is not local: files are compressed for a network.
RUN SECRET_KEY=build ALLOWED_HOSTS=build STATIC_ROOT=/static /venv/bin/python manage.py collectstatic --no-input --verbosity 0

# hadolint ignore=DL3006
FROM ${BASE_IMAGE}
# hadolint ignore=DL3008
RUN command -v python3 \
 || { apt-get update && apt-get install --yes --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*; }
RUN useradd --system --uid 10001 --create-home --home-dir /data benchsite
COPY --from=build /venv /venv
COPY --from=build /static /static
COPY --from=build /app /app
WORKDIR /app
USER 10001
VOLUME /data
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 DATA_DIR=/data STATIC_ROOT=/static HOST=0.0.0.0 PORT=8000
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--only", "web"]
