"""Hosts and disk tests of a submission as the API shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from submissions.choices import DiskPattern, Role
from submissions.records.hosts import HostRecords


def _number(help_text: str = "") -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, help_text=help_text)


class LatencyFigures(serializers.Serializer[Any]):
    """ms; null where it is unknown."""

    mean = _number()
    p50 = _number()
    p95 = _number()
    p99 = _number()
    p999 = _number()
    max = _number()


@extend_schema_serializer(component_name="HostRecord")
class HostSerializer(serializers.Serializer[Any]):
    """What a host did during the trials, or several of which only the mean is known; unknown is null."""

    name = serializers.CharField(allow_null=True)
    role = serializers.ChoiceField(choices=Role.pairs())
    count = serializers.IntegerField(help_text="Hosts of which the figures are the mean")
    sampled_s = serializers.IntegerField(allow_null=True, help_text="Seconds over which the figures are means")
    throughput_ops_s = _number("Operations a second that this host served or, a client, sent")
    server_latency_ms = LatencyFigures(help_text="Of an operation inside the server, without network and client")
    cpu_percent = _number("Busy, over all processors of the host")
    cpu_max_percent = _number("The same in its busiest second")
    iowait_percent = _number()
    steal_percent = _number()
    disk_read_bytes_s = _number("All disks together")
    disk_write_bytes_s = _number()
    disk_busy_percent = _number("Of the busiest disk")
    network_received_bytes_s = _number()
    network_sent_bytes_s = _number()


@extend_schema_serializer(component_name="DiskTestRecord")
class DiskTestSerializer(serializers.Serializer[Any]):
    """What fio or iozone measured on a host, without the database; unknown is null."""

    tool = serializers.CharField()
    tool_version = serializers.CharField(allow_null=True)
    command = serializers.CharField(allow_null=True)
    name = serializers.CharField(help_text="The test's own name")
    host = serializers.CharField(allow_null=True)
    target = serializers.CharField(allow_null=True, help_text="The tested file, folder or device")
    pattern = serializers.ChoiceField(choices=DiskPattern.pairs())
    read_share = _number("Where reads and writes ran at the same time")
    block_bytes = serializers.IntegerField(allow_null=True)
    jobs = serializers.IntegerField(allow_null=True, help_text="That ran together; the figures are their total")
    queue_depth = serializers.IntegerField(allow_null=True, help_text="Requests in flight of one job")
    file_bytes = serializers.IntegerField(allow_null=True, help_text="Size of one job's file")
    duration_s = _number()
    is_direct = serializers.BooleanField(allow_null=True, help_text="Whether the page cache was bypassed")
    mb_s = _number("10^6 bytes a second")
    iops = _number()
    latency_ms = LatencyFigures()
    measured_at = serializers.DateTimeField(allow_null=True)


class HostRecordsSerializer(serializers.Serializer[HostRecords]):
    hosts = HostSerializer(many=True)
    disk_tests = DiskTestSerializer(many=True)
