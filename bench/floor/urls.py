"""The floors: nothing, a table of 50 rows, the best of each provider by index, one row inserted."""

import json
from typing import Any

from django.db import connection, models
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path

from bench.floor.names import TABLE


class Row(models.Model):
    """The columns that a list shows."""

    title = models.CharField(max_length=300)
    service = models.CharField(max_length=100)
    provider = models.CharField(max_length=50)
    instance_type = models.CharField(max_length=100)
    node_count = models.PositiveIntegerField()
    throughput_ops_s = models.FloatField(null=True)
    latency_p99_ms = models.FloatField(null=True)

    class Meta:
        app_label = "floor"
        managed = False
        db_table = "submissions_submission"

    def __str__(self) -> str:
        return self.title


def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


def rows(request: HttpRequest) -> HttpResponse:
    return render(request, "rows.html", {"rows": Row.objects.order_by("-id")[:50]})


# each provider by one step along the index of providers, and the best of each by one step along that of values
LOOSE_SCAN = """
WITH RECURSIVE providers AS (
    (SELECT provider FROM submissions_submission ORDER BY provider LIMIT 1)
    UNION ALL
    SELECT (SELECT next.provider FROM submissions_submission AS next
            WHERE next.provider > providers.provider ORDER BY next.provider LIMIT 1)
    FROM providers WHERE providers.provider IS NOT NULL
)
SELECT best.id, best.title, best.service, providers.provider, best.instance_type, best.node_count,
       best.throughput_ops_s, best.latency_p99_ms
FROM providers CROSS JOIN LATERAL (
    SELECT * FROM submissions_submission AS of_provider
    WHERE of_provider.workload_id = %s AND of_provider.provider = providers.provider AND ops_per_usd IS NOT NULL
    ORDER BY ops_per_usd DESC NULLS LAST, id DESC LIMIT 1
) AS best
"""


def best(request: HttpRequest, workload: int) -> HttpResponse:
    return render(request, "rows.html", {"rows": list(Row.objects.raw(LOOSE_SCAN, [workload]))})


def post(request: HttpRequest) -> HttpResponse:
    body: dict[str, Any] = json.loads(request.body)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {TABLE} (service, provider, document) VALUES (%s, %s, %s) RETURNING id",
            [body["service"]["name"], body["provider"], json.dumps(body)],
        )
        return JsonResponse({"id": cursor.fetchone()[0]}, status=201)


urlpatterns = [
    path("nothing/", nothing),
    path("rows/", rows),
    path("best/<int:workload>/", best),
    path("post/", post),
]
