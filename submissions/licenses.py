"""Under which licence results are published: what uploaders agree to, and what an imported source says itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class License:
    spdx: str
    name: str
    url: str


CC_BY = License("CC-BY-4.0", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/")
UPLOADS = CC_BY  # whoever uploads agrees to it
NOT_STATED = "not stated by the source"  # of figures quoted from an article that names no licence
APACHE = License("Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0")
CC_BY_SA = License("CC-BY-SA-4.0", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/")
_KNOWN = {known.spdx: known for known in (CC_BY, CC_BY_SA, APACHE)}


def license_name(text: str) -> str:
    """ "CC-BY-4.0" -> "CC BY 4.0"; words that are no known identifier as they are."""
    known = license_of(text)
    return known.name if known else text


def license_of(text: str) -> License | None:
    """The known licence of this SPDX identifier; None for others, which are shown as they are."""
    return _KNOWN.get(text)
