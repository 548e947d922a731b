"""Candidates with their capacity for the data that is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from submissions.questions.recommend.candidates import Candidate, Known
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.ranking.capacity import capacity_of, catalogue_of, hardware_of


def sized(candidates: Sequence[Candidate], known: Sequence[Known], params: RecommendParams) -> list[Candidate]:
    """In the same order. One query; none where no data is asked for."""
    requested = params.data_gib
    if requested is None:
        return list(candidates)
    catalogue = catalogue_of({one.key for one in candidates})
    hardware = {
        (key, nodes): hardware_of(key, nodes, catalogue) for key, nodes in {(one.key, one.nodes) for one in candidates}
    }
    workloads: Mapping[int, Known] = {one.workload_id: one for one in known}

    def with_capacity(one: Candidate) -> Candidate:
        workload = workloads[one.workload_id]
        own = hardware[one.key, one.nodes]
        capacity = capacity_of(
            one.point,
            own,
            service=workload.state["service"],
            replication_factor=workload.copies(
                one.nodes, is_managed=own.is_managed, requested=params.replication_factor
            ),
            requested_gib=requested,
        )
        return replace(one, capacity=capacity)

    return [with_capacity(one) for one in candidates]
