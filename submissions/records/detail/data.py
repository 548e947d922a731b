"""The data of one result: how much, what part of the memory, and why that is unknown."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.analysis.data_size import DataSize, copies, data_size
from submissions.formatting.data_words import FITS, amount_words, fits
from submissions.formatting.numbers import significant
from submissions.models import Submission, Trial
from submissions.records.detail import sentences


@dataclass(frozen=True, slots=True)
class DataWords:
    amount: str
    ratio: str  # "4.03"; "" where it is unknown
    about: str  # what the ratio means, or why it is unknown


def data_words(submission: Submission, trials: Sequence[Trial]) -> DataWords:
    data = data_size(submission.document, [vars(trial) for trial in trials])
    ratio = submission.data_to_memory
    if ratio is None:
        return DataWords(amount_words(data), "", _why_unknown(submission, data))
    words = [FITS if fits(submission) else sentences.DATA_EXCEEDS_MEMORY]
    if data is not None and data.is_changing and data.mean_bytes:
        of_a_byte = ratio / data.mean_bytes
        words.append(sentences.data_changes(data.start_bytes * of_a_byte, data.end_bytes * of_a_byte))
    return DataWords(amount_words(data), significant(ratio), "; ".join(words))


def _why_unknown(submission: Submission, data: DataSize | None) -> str:
    if data is None:
        return sentences.NO_AMOUNT_OF_DATA
    return sentences.NO_REPLICATION_FACTOR if copies(submission.document) is None else sentences.NO_MEMORY
