"""What only the primary knows and its replicas need: statements that note it in a table, which comes to them."""

statements: list[str] = []


def run_every_second(statement: str) -> None:
    """On the primary of a site with replicas, by each of its web processes."""
    statements.append(statement)
