"""The EC2 query protocol, read and written by botocore's own service model."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode
from xml.sax.saxutils import escape

from botocore.exceptions import ParamValidationError
from botocore.model import OperationModel, OperationNotFoundError, Shape
from botocore.serialize import create_serializer
from moto.core.parse import EC2QueryParser
from moto.core.serialize import EC2Serializer, XFormedAttributePicker
from moto.core.utils import get_service_model
from moto.ec2.responses._base_response import EC2BaseResponse

REQUEST_ID = "59dbff89-35bd-4eac-99ed-be587EXAMPLE"


class Refused(Exception):
    """An error as EC2 answers it."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(code)
        self.code, self.message, self.status = code, message, status

    def body(self) -> bytes:
        error = f"<Error><Code>{self.code}</Code><Message>{escape(self.message)}</Message></Error>"
        xml = f"<Response><Errors>{error}</Errors><RequestID>{REQUEST_ID}</RequestID></Response>"
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}'.encode()


def form(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode(), keep_blank_values=True))


def encode(fields: Mapping[str, str]) -> bytes:
    return urlencode(fields).encode()


def operation(action: str) -> OperationModel:
    """Refused when EC2 has no such action."""
    try:
        return get_service_model("ec2").operation_model(action)
    except OperationNotFoundError:
        raise Refused("InvalidAction", f"The action {action} is not valid for this web service.") from None


def parameters(fields: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of a request as boto3 was given them."""
    if operation(fields["Action"]).input_shape is None:
        return {}
    parsed = EC2QueryParser(operation(fields["Action"])).parse({"values": fields})
    return parsed if isinstance(parsed, dict) else {}


def problems(fields: Mapping[str, str]) -> list[str]:
    """What the service model does not allow in a request: unknown names, missing or mistyped values."""
    called = operation(fields["Action"])
    given = parameters(fields)
    try:
        rebuilt = create_serializer("ec2").serialize_to_request(given, called)["body"]
    except ParamValidationError as error:
        return [str(error)]
    found = [f"The parameter {name} is not recognized" for name in sorted(set(fields) - set(rebuilt))]
    if called.input_shape is not None:
        found += _wrong_words(called.input_shape, given, called.name)
    return found


def answer(action: str, result: Any) -> bytes:
    """The XML of a successful call; `result` in boto3's names, or moto's own object."""
    picker = XFormedAttributePicker(response_transformers=EC2BaseResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER)
    return EC2Serializer(operation(action), value_picker=picker).serialize(result)["body"].encode()


def _wrong_words(shape: Shape, value: Any, path: str) -> Iterator[str]:
    """Values outside a closed list. Instance types are left out: they have an error of their own."""
    if shape.type_name == "structure":
        for name, part in value.items():
            yield from _wrong_words(shape.members[name], part, f"{path}.{name}")
    elif shape.type_name == "list":
        for part in value:
            yield from _wrong_words(shape.member, part, path)
    elif getattr(shape, "enum", None) and shape.name != "InstanceType" and value not in shape.enum:
        yield f"{path}: {value} is not a {shape.name}"
