"""The picture of the data model shows every table that we own."""

import re
from pathlib import Path

from django.apps import apps

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "data-model.md").read_text(encoding="utf-8")


def test_every_model_is_on_the_page_and_the_page_names_no_other():
    models = {model.__name__ for name in ("submissions", "runners") for model in apps.get_app_config(name).get_models()}
    diagram = PAGE.split("```mermaid")[1].split("```")[0]
    pictured = set(re.findall(r"\b([A-Z][A-Za-z]+)\b(?= [|}])|(?<=[|{o] )([A-Z][A-Za-z]+)(?= :)", diagram))
    drawn = {name for pair in pictured for name in pair if name} - {"User"}
    described = set(re.findall(r"\*\*([A-Z]\w+)\*\*", PAGE))

    assert drawn | described == models


def test_every_pictured_column_is_one_of_its_model():
    models = {
        model.__name__: model for name in ("submissions", "runners") for model in apps.get_app_config(name).get_models()
    }
    for name, body in re.findall(r"\n    (\w+) \{\n(.*?)\n    \}", PAGE, re.DOTALL):
        columns = re.findall(r"^ +\w+ (\w+)", body, re.MULTILINE)
        assert columns
        assert set(columns) <= {field.name for field in models[name]._meta.get_fields()}, name
