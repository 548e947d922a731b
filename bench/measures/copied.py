"""The floor of uploads: a table for the bare application, and COPY of submissions into the site's own tables."""

import time
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from bench.cpu import Processes
from bench.floor.names import TABLE
from bench.measures.setting import figures
from submissions.models import Workload
from tools.synthetic import copying
from tools.synthetic.rows import rows_of


def make_floor_table() -> None:
    columns = "id bigserial PRIMARY KEY, service text, provider text, document jsonb"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
        cursor.execute(f"CREATE TABLE {TABLE} ({columns})")


def copy(documents: list[dict[str, Any]], processes: Processes) -> dict[str, Any]:
    """Of prepared rows, with their indexes and references; taken back, so that no page shows them."""
    rows = [rows_of(document) for document in documents]
    known = dict(Workload.objects.values_list("fingerprint", "id"))
    before, own, began = processes.cpu(), time.process_time(), time.perf_counter()
    with transaction.atomic():
        copying._copy_workloads(rows, known, timezone.now())
        copying._copy_submissions(rows, known, timezone.now())
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        seconds = time.perf_counter() - began
        cpu = (processes.cpu() - before).per(len(rows))
        transaction.set_rollback(True)
    spent = figures(cpu)
    spent["python"] = (time.process_time() - own) * 1000 / len(rows)  # of this process: the web server rests
    return {"per_second": len(rows) / seconds, "cpu": spent}
