"""The bill of a test: what its machines, storage and traffic cost, line by line. The sums are ours."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from submissions.choices import PricingModel
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.types import NUMBER, STRING, Name, Short, money

MAX_ITEMS = 100
MAX_QUANTITY = 1e12
MAX_UNIT_USD = Decimal(1_000_000)
MAX_ITEM_USD = Decimal(10) ** 9


def _day(value: object) -> object:
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or len(value) != len("2015-09-01"):
        raise ValueError('must be a day such as "2015-09-01"')
    return value


Quantity = Annotated[float, NUMBER, Field(gt=0, le=MAX_QUANTITY)]
UnitUsd = Annotated[Decimal, BeforeValidator(money), Field(ge=0, le=MAX_UNIT_USD, max_digits=15, decimal_places=8)]
Day = Annotated[date, BeforeValidator(_day)]


class BillItemDocument(StrictModel):
    label: Name = Field(description="48× m1.xlarge (database), traffic between zones, ...")
    quantity: Quantity = Field(description="Of all machines together: 48 machines for 2 hours are 96")
    unit: Short = Field(description="hour, gb, gib_month, iops_month, mibps_month, disk_month or another one")
    unit_usd: UnitUsd | None = Field(description="USD of one unit; null: unknown, and so is the total")

    @model_validator(mode="after")
    def _is_affordable(self) -> "BillItemDocument":
        if self.unit_usd is not None and Decimal(repr(self.quantity)) * self.unit_usd > MAX_ITEM_USD:
            raise ValueError(f"quantity x unit_usd is over {MAX_ITEM_USD:,} USD")
        return self


class BillDocument(StrictModel):
    items: tuple[BillItemDocument, ...] = Field(
        min_length=1, max_length=MAX_ITEMS, description="Set-up and run of each group of machines, storage, traffic"
    )
    basis: Annotated[PricingModel, STRING] | None = Field(None, description="How the machines were bought")
    price_date: Day | None = Field(None, description="The day whose prices these are")
