"""A log tells its database: one that its tool cannot load is refused at every door, the only one is filled in."""

import json

import pytest

from benchsite.http.refusals import Refusal
from submissions.ingest import parsers
from submissions.ingest.bulk import submit_lines
from submissions.ingest.logs.databases import contradiction, databases_of
from submissions.ingest.pipeline import prepare_document, prepare_import
from submissions.ingest.uploads import offered
from submissions.models import Submission
from submissions.vocabulary import DATABASES
from tests.documents import document, metadata
from tests.files import DATA, uploaded
from tests.submissions.logs import form

PGBENCH = DATA / "pgbench" / "pg15-01-tpcb.log"
REFUSED = {
    "pointer": "#/service/name",
    "detail": "a pgbench log is of PostgreSQL or a database that speaks its protocol, not of Apache Cassandra.",
}


def stated(name):
    others = {key: value for key, value in metadata().items() if key != "service"}
    return {**others, "service": {"name": name}} if name else others


def faults_of(call):
    with pytest.raises(Refusal) as caught:
        call()
    return [{"pointer": fault.pointer, "detail": fault.detail} for fault in caught.value.faults]


def test_a_log_of_pgbench_is_not_of_cassandra():
    assert faults_of(lambda: prepare_import(stated("cassandra"), offered([uploaded(PGBENCH)]))) == [REFUSED]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["postgresql", "postgres", "cockroachdb", "yugabytedb", "a-fork-of-ours"])
def test_a_database_that_speaks_the_protocol_is_accepted_and_so_is_one_that_nobody_listed(name):
    assert prepare_import(stated(name), offered([uploaded(PGBENCH)]))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("log", "name"),
    [("pgbench/pg15-01-tpcb.log", "postgresql"), ("redis-benchmark/rb70-05-command.log", "redis")],
)
def test_the_only_database_of_a_tool_is_filled_in(log, name):
    [prepared] = prepare_import(stated(None), offered([uploaded(DATA / log)]))

    assert prepared.document.service.name == name
    assert "#/service/name" in prepared.from_log


@pytest.mark.django_db
def test_where_a_tool_loads_several_databases_it_is_still_required():
    log = DATA / "sysbench" / "sb10-02-histogram.log"

    assert "is required" in {
        fault["detail"] for fault in faults_of(lambda: prepare_import(stated(None), offered([uploaded(log)])))
    }


def test_sysbench_and_ycsb_are_of_the_database_of_their_driver():
    sysbench = parsers.detect(["sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)"])
    log = (DATA / "sysbench" / "sb10-02-histogram.log").read_text()
    facts = sysbench.parse(["+ sysbench --db-driver=pgsql oltp_point_select run", *log.splitlines()]).facts

    assert databases_of("sysbench", facts) == ("postgresql",)
    assert contradiction("mysql", tool="sysbench", databases=facts.databases)
    assert not contradiction("mysql", tool="sysbench", databases=databases_of("sysbench"))


@pytest.mark.parametrize(
    ("tool", "good", "bad"),
    [
        ("cassandra-stress", ("cassandra", "scylladb", "dse"), ("postgresql", "dynamodb")),
        ("latte", ("cassandra", "scylladb"), ("redis",)),
        ("memtier-benchmark", ("redis", "valkey", "memcached", "dragonfly"), ("mongodb",)),
        ("redis-benchmark", ("redis", "valkey", "keydb"), ("memcached",)),
        ("sysbench", ("mysql", "mariadb", "postgresql", "tidb"), ("cassandra",)),
        ("ycsb", ("mongodb", "cassandra", "aerospike"), ()),
        ("a-tool-of-ours", ("mongodb",), ()),
    ],
)
def test_each_tool_has_its_databases(tool, good, bad):
    assert not any(contradiction(name, tool=tool, databases=databases_of(tool)) for name in good)
    assert all(contradiction(name, tool=tool, databases=databases_of(tool)) for name in bad)


@pytest.mark.django_db
def test_a_document_and_a_line_of_many_are_refused_as_well():
    changes = {"workload/tool": "pgbench"}

    [fault] = faults_of(lambda: prepare_document(document(changes)))
    [outcome] = submit_lines([json.dumps(document(changes)).encode()], submitted_by=None)

    assert fault["detail"] == REFUSED["detail"].replace(" log ", " result ")
    assert [each.detail for each in outcome.faults] == [fault["detail"]]
    assert not Submission.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_an_import_is_refused(caller, query):
    response = caller.upload(form(uploaded(PGBENCH), meta=stated("cassandra")), query)

    assert response.status_code == 400
    assert response.json()["errors"] == [REFUSED]


@pytest.mark.django_db
def test_each_file_of_many_is_refused_by_itself(caller):
    files = form(uploaded(PGBENCH), uploaded(DATA / "latte" / "latte-01-write.json"), meta=stated("cassandra"))
    refused, stored = caller.upload(files, "?per_file=true").json()["files"]

    assert (refused["status"], refused["errors"]) == (400, [REFUSED])
    assert stored["errors"] != [REFUSED]


def test_every_listed_database_and_every_one_of_a_parser_has_its_protocol():
    assert {protocol for protocols in DATABASES.values() for protocol in protocols} <= set(DATABASES)
    assert {name for parser in parsers.PARSERS for name in parser.databases} <= set(DATABASES)
