"""The parts of a month's bill."""

from submissions.choices import Choice

BACKUP_DAYS = 7  # of writes that are kept beside one full copy


class Kind(Choice):
    NODES = "nodes"
    DISKS = "disks"
    ZONE_TRAFFIC = "zone_traffic"
    BACKUP = "backup"
    PUBLIC_ADDRESSES = "public_addresses"
