"""What load tools print of TPC-C: its result is new orders a minute (tpmC), which its warehouses limit."""

NEW_ORDER = "new-order"
_TPMC_OF_A_WAREHOUSE = 12.86  # the most that the specification allows


def warehouses(tpmc: float | None, efficiency_percent: float | None, *, printed_to: float) -> int | None:
    """The number that the printed efficiency relates to; None where it is not printed exactly enough."""
    if not tpmc or not efficiency_percent:
        return None
    count = tpmc / (_TPMC_OF_A_WAREHOUSE * efficiency_percent / 100)
    may_be_off = count * printed_to / 2 / efficiency_percent
    return round(count) or None if may_be_off < 0.5 else None
