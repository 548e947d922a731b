"""Where new results rank, and the pages to go to from them."""

from collections import Counter
from collections.abc import Sequence

from benchsite_cli.errors import Refused
from benchsite_cli.site import Json, Site

MOST_WORKLOADS = 12  # whose leaderboards are asked for
MOST_COMPARED = 6
_NO_WORKLOAD = (400, 404)


def ranks(site: Site, results: Sequence[Json]) -> dict[int, str]:
    """In words, by the number of the result; of those that are not public none."""
    words: dict[int, str] = {}
    public = [result for result in results if "id" in result and result.get("visibility") == "public"]
    for workload in list(dict.fromkeys(result["workload"] for result in public))[:MOST_WORKLOADS]:
        try:
            board = site.get("leaderboard/", [("workload", workload), ("by", "submission")])
        except Refused as error:
            if error.status not in _NO_WORKLOAD:
                raise
            continue
        of_workload = [result for result in public if result["workload"] == workload]
        words |= {result["id"]: _words(board, result, of_workload) for result in of_workload}
    return words


def next_addresses(site: Site, results: Sequence[Json]) -> Json:
    """As the site answers them for one upload, for all results of a command; {} where nothing is stored."""
    stored = [result for result in results if "id" in result]
    if not stored:
        return {}
    workload, _ = Counter(result["workload"] for result in stored).most_common(1)[0]
    alike = [result["id"] for result in stored if result["workload"] == workload]
    pair = "&".join(f"s={number}" for number in alike[:MOST_COMPARED]) if len(alike) > 1 else f"with={alike[0]}"
    is_public = any(result.get("visibility") == "public" for result in stored if result["workload"] == workload)
    return {
        "compare": f"{site.url}/compare/?{pair}",
        "leaderboard": f"{site.url}/workloads/{workload}/" if is_public else None,
        "mine": f"{site.url}/account/#own",
    }


def _words(board: Json, result: Json, own: Sequence[Json]) -> str:
    row = next((group for group in board["groups"] if group["submission"] == result["id"]), None)
    total = board["groups_count"] + sum(board["not_ranked"].values())
    if total <= len(own):
        return "first result of its workload"
    if row is not None:
        return f"rank {row['rank']} of {board['groups_count']} results"
    return "not ranked yet" if result.get("unranked_until") else "not ranked"
