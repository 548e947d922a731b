"""What a bundle says about itself to whoever unpacks it."""

from submissions.choices import Trust
from submissions.formatting.meanings import TRUST_MEANINGS
from submissions.licenses import license_of
from submissions.models import Submission
from submissions.records.detail.citation import citation

_README = """# {title}

Result #{pk} of the Benchsite at {site}
{address}

{citation}

| file | content |
|---|---|
| `statement.intoto.jsonl` | the sum of every other file, and the results, signed by the site (in-toto, DSSE, Ed25519) |
| `document.json` | everything as it was submitted |
| `results.json` | the result and its trials with their histograms, as in the answer of the API |
| `configuration.json` | service, machines, JDK, network, settings and workload |
| `versions.json` | versions of the service, the JDK, the load tool and the site |
| `hosts.json` | what the hosts did during the trials, and what their disks can do, where it is known |
| `prices.json` | prices of the cluster as they were frozen, with date and source, and the bill of the test |
| `run/` | plan and receipt, where the site ran the benchmark itself |
| `logs/` | what the load tool wrote, byte for byte as it is stored; passwords and keys are masked |
| `artifacts/` | other raw files, and series that the site has read from the logs |

## Verify it

    pip install benchsite-cli
    benchsite verify {name} --site {site}

checks the signature and every byte, and names each file that differs, is missing or was added. `--parse` has a site
read the logs again and compares the figures. Public keys: {keys}

The signature proves that this site stored these files and published these figures for them. It does not prove that the
benchmark was run as the files say. Trust of this result: {trust}.
"""


def file_name(submission: Submission) -> str:
    return f"benchsite-{submission.pk}.zip"


def readme(submission: Submission, address: str, site: str, keys: str) -> str:
    """Markdown."""
    trust = Trust(submission.trust)
    return _README.format(
        title=" ".join(submission.title.split()) or "Untitled",
        pk=submission.pk,
        site=site,
        keys=keys,
        address=address,
        citation=citation(submission, address),
        name=file_name(submission),
        trust=f"{trust.label}: {TRUST_MEANINGS[trust]}".rstrip("."),
    )


def license_text(submission: Submission, address: str) -> str:
    known = license_of(submission.license)
    terms = f"{known.name} ({known.spdx})\n{known.url}" if known else submission.license or "No licence was stated."
    named = f"\n\nEvery copy must include:\n{submission.attribution}" if submission.attribution else ""
    return f"{terms}{named}\n\nTo be credited as:\n{citation(submission, address)}\n"
