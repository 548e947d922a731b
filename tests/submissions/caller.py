"""The API by HTTP, as one account with one token."""

import json

from tests.factories import bearer

BASE = "/api/v1/submissions/"


class Caller:
    def __init__(self, client, user, scopes=("submit",)):
        self.client, self.user, self.headers = client, user, bearer(user, scopes)

    def post(self, path, body, *, content_type="application/json"):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.post(path, raw, content_type=content_type, **self.headers)

    def submit(self, body, query=""):
        return self.post(BASE + query, body)

    def upload(self, fields, query="", **environ):
        return self.client.post(f"{BASE}import/{query}", fields, **self.headers, **environ)

    def bulk(self, lines, content_type="application/x-ndjson"):
        response = self.post(f"{BASE}bulk/", b"\n".join(lines), content_type=content_type)
        return response, [json.loads(line) for line in response.getvalue().splitlines()]
