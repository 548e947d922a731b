"""What the load tool limited the rate to, of stored results too; workloads that differed in nothing else are merged."""

import hashlib
import json
import re
from collections import defaultdict

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models
from django.db.models import Count, OuterRef, Q, Subquery

# All of this is as the release of this migration has it, and does not change with the code.
SAME_RATE = 0.05
_NUMBER = r"[=\s]+(\d{1,12}(?:\.\d{1,6})?)(?:/s)?(?!\S)"
_IS_LIMITED = r"(target|throttle|limit|fixed|--rate|-R|-r)[= ]"
_FAMILIES = {"go-ycsb": "ycsb", "cql-stress": "cassandra-stress"}
_LONG = re.compile(
    r"(?<!\S)--(?:threads?|clients?|connections|concurrency|jobs|rate|rate-limiting|target)(?:[=\s]+\S+)"
)
_COUNTS = {
    "cassandra-stress": re.compile(
        r"(?<!\S)(?:threads(?:>=|<=|=)\S+|throttle=\S+|fixed=\S+|limit=\S+|auto(?!\S))|(?<!\S)-t\s+\d+(?!\S)"
    ),
    "ycsb": re.compile(r"(?<!\S)(?:-threads|-target)\s+\S+|(?:(?<!\S)-p\s+)?(?<!\S)(?:threadcount|target)=\S+"),
    "pgbench": re.compile(r"(?<!\S)-[cjR]\s*\d\S*"),
    "latte": re.compile(r"(?<!\S)-[rtp]\s*\d\S*"),
}
_THROTTLES = {
    "ycsb": "(?:-target|target)",
    "go-ycsb": "(?:-target|target)",
    "cassandra-stress": "(?:throttle|limit)",
    "cql-stress": "(?:throttle|limit)",
    "latte": "(?:-r|--rate)",
}
_FIXED_RATES = {"cassandra-stress": "fixed", "cql-stress": "fixed", "pgbench": "(?:-R|--rate)"}
_IS_SCHEDULE = re.compile(r"measurement\.interval=(?:intended|both)(?!\S)")
_LOADS = {"fixed_rate": "fixed rate", "curve": "load curve"}
BATCH = 500


def hold_loads(apps, schema_editor):
    submissions = apps.get_model("submissions", "Submission")
    trials = apps.get_model("submissions", "Trial")
    own_threads = submissions.objects.filter(pk=OuterRef("submission")).values("threads")[:1]
    trials.objects.filter(threads=None, submission__threads__isnull=False).update(threads=Subquery(own_threads))
    modes = _set_limits(submissions, trials)
    several = (
        trials.objects.filter(threads__isnull=False)
        .order_by()
        .values_list("submission")
        .annotate(n=Count("threads", distinct=True))
        .filter(n__gt=1)
    )
    modes |= {pk: "curve" for pk, _ in several}
    for mode in set(modes.values()):
        submissions.objects.filter(pk__in=[pk for pk, own in modes.items() if own == mode]).update(load_mode=mode)
    _regroup(apps.get_model("submissions", "Workload"), submissions, modes)


def _set_limits(submissions, trials):
    """Writes the limits of rows that have one; the load modes that they imply, by key."""
    has_limit = Q(document__workload__fixed_rate_ops_s__isnull=False) & ~Q(document__workload__fixed_rate_ops_s=None)
    rows = submissions.objects.filter(has_limit | Q(document__workload__command__regex=_IS_LIMITED))
    modes = {}
    for row in rows.only("pk", "document", "throughput_ops_s", "client_count", "flags", "load_mode").iterator(BATCH):
        throttle, fixed = _limits(row.document["workload"])
        of_one, clients = throttle or fixed, _clients(row)
        if not of_one:
            continue
        limit = _of_all_clients(of_one, clients, row.throughput_ops_s)
        row.throttle_ops_s, row.fixed_rate_ops_s = (limit, None) if throttle else (None, limit)
        changed = ["throttle_ops_s", "fixed_rate_ops_s"]
        if row.throughput_ops_s and _is_same(row.throughput_ops_s, limit):
            row.flags = [*row.flags, "throttled"]
            row.ops_per_usd = row.usd_per_million_ops = None
            changed += ["flags", "ops_per_usd", "usd_per_million_ops"]
        row.save(update_fields=changed)
        if row.fixed_rate_ops_s:
            trials.objects.filter(submission=row).update(offered_ops_s=limit)
        mode = "fixed_rate" if row.fixed_rate_ops_s else row.load_mode or "threads"
        if mode != row.load_mode:
            modes[row.pk] = mode
    return modes


def _limits(workload):
    """(throttle, fixed rate), of one client or of all: earlier releases did not say which."""
    if workload.get("fixed_rate_ops_s"):
        return None, workload["fixed_rate_ops_s"]
    tool, command = workload["tool"], workload.get("command") or ""
    throttle = _rate(_THROTTLES.get(tool), command)
    if throttle and tool == "ycsb" and _IS_SCHEDULE.search(command):
        return None, throttle
    return throttle, None if throttle else _rate(_FIXED_RATES.get(tool), command)


def _rate(option, command):
    match = option and re.search(rf"(?<!\S){option}{_NUMBER}", command)
    return float(match[1]) or None if match else None


def _clients(row):
    trials = row.document.get("trials") or [{}]
    return trials[0].get("client_count") or row.client_count or 1


def _of_all_clients(limit, clients, rate):
    if rate and _is_same(rate, limit):
        return limit
    return limit * clients


def _is_same(rate, limit):
    return abs(rate - limit) <= SAME_RATE * limit


def _regroup(workloads, submissions, modes):
    """Moves rows whose workload has another form now; the old fingerprint leads to where most of them went."""
    concerned = set(submissions.objects.filter(pk__in=modes).values_list("workload", flat=True))
    for workload in workloads.objects.filter(Q(pk__in=concerned) | Q(canonical__command__isnull=False)).order_by("pk"):
        by_form = defaultdict(list)
        for pk, mode in submissions.objects.filter(workload=workload).values_list("pk", "load_mode"):
            by_form[_fingerprint(_form(workload, modes.get(pk, mode)))].append((pk, modes.get(pk, mode)))
        if not by_form or set(by_form) == {workload.fingerprint}:
            continue
        largest = max(by_form, key=lambda fingerprint: (len(by_form[fingerprint]), fingerprint))
        old = workload.fingerprint
        for fingerprint, rows in by_form.items():
            if fingerprint != old:
                _move(workloads, submissions, workload, fingerprint, rows)
        if old in by_form:
            continue
        target = workloads.objects.get(fingerprint=largest)
        target.former_fingerprints = sorted({*target.former_fingerprints, *workload.former_fingerprints, old})
        target.save(update_fields=["former_fingerprints"])
        workload.delete()


def _move(workloads, submissions, workload, fingerprint, rows):
    form = _form(workload, rows[0][1])
    target, _ = workloads.objects.get_or_create(
        fingerprint=fingerprint,
        defaults={"canonical": form, "title": _title(workload, form), "service": workload.service},
    )
    keys = [pk for pk, _ in rows]
    for start in range(0, len(keys), BATCH):
        submissions.objects.filter(pk__in=keys[start : start + BATCH]).update(workload=target)


def _form(workload, mode):
    form = dict(workload.canonical)
    if form.get("command"):
        text = _LONG.sub(" ", form["command"])
        family = _FAMILIES.get(form["tool"], form["tool"])
        form["command"] = " ".join((_COUNTS[family].sub(" ", text) if family in _COUNTS else text).split())
    return {**form, "load_mode": mode}


def _fingerprint(form):
    text = json.dumps(form, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _title(workload, form):
    """The old one with the new command and the new load."""
    title = workload.title
    if form.get("command"):
        title = title.replace(workload.canonical["command"][:180], form["command"][:180])
    load = _LOADS.get(form["load_mode"])
    if load and load not in title:
        before, comma, duration = title.rpartition(", ")
        return (f"{before}, {load}, {duration}" if comma and form.get("duration") else f"{title}, {load}")[:300]
    return title


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0011_averaged_over"),
    ]

    operations = [
        migrations.AddField("submission", "fixed_rate_ops_s", models.FloatField(null=True)),
        migrations.AddField("submission", "throttle_ops_s", models.FloatField(null=True)),
        migrations.AddField("trial", "offered_ops_s", models.FloatField(null=True)),
        migrations.AddField(
            "workload",
            "former_fingerprints",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=16), default=list, size=None
            ),
        ),
        migrations.AddIndex(
            "workload",
            django.contrib.postgres.indexes.GinIndex(fields=["former_fingerprints"], name="former_fingerprints"),
        ),
        migrations.RunPython(hold_loads, migrations.RunPython.noop, elidable=True),
    ]
