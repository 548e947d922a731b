"""Migrates in a fraction of the time: what one migration adds is worked out together, not after each operation.

After each operation Django makes the classes of the changed model anew, and of all that are related to it, which here
are dozens: on an empty database four fifths of the time. Operations side by side that only create and add things need
each other's classes no earlier than in the end; what they do in the database, and in which order, stays the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddConstraint, AddField, AddIndex, CreateModel, Migration, RemoveIndex
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from pgtrigger.migrations import AddTrigger, RemoveTrigger

_ADDITIONS = (AddField, AddIndex, AddConstraint, AddTrigger)
_REMOVALS = (RemoveIndex, RemoveTrigger)  # before additions alone: a name may be used again


class Batch(Operation):
    """Operations of one kind, or additions to models that exist before."""

    reversible = False  # migrating back takes the operations themselves

    def __init__(self, operations: Sequence[Operation]):
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        classes = state.__dict__.pop("apps", None)  # without them a change makes none anew
        for operation in self.operations:
            operation.state_forwards(app_label, state)
        if classes is not None:
            state.__dict__["apps"] = classes
            state.reload_models([(app_label, _model_of(operation)) for operation in self.operations], delay=False)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return "; ".join(operation.describe() for operation in self.operations)


def batch_plan(plan: Iterable[tuple[Migration, bool]], **signal: Any) -> None:
    """Receives `pre_migrate`: puts batches in the place of operations. The signal comes once for each app."""
    for migration, is_backwards in plan:
        if not is_backwards and migration.atomic:
            migration.operations = list(batched(migration.operations))  # type: ignore[misc]  # not of the class


def batched(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The same operations in the same order, some of them in batches."""
    waiting: list[Operation] = []
    for operation in operations:
        if waiting and not _go_together(waiting[-1], operation):
            yield _batch_of(waiting)
            waiting = []
        waiting.append(operation)
    if waiting:
        yield _batch_of(waiting)


def _batch_of(operations: list[Operation]) -> Operation:
    return operations[0] if len(operations) == 1 else Batch(operations)


def _go_together(operation: Operation, following: Operation) -> bool:
    """By their exact types: of others nobody knows what they need."""
    kinds = type(operation), type(following)
    return (
        kinds == (CreateModel, CreateModel)
        or (kinds[0] in _REMOVALS and kinds[1] in (*_REMOVALS, *_ADDITIONS))
        or (kinds[0] in _ADDITIONS and kinds[1] in _ADDITIONS)
    )


def _model_of(operation: Any) -> str:
    name: str = operation.name if isinstance(operation, CreateModel) else operation.model_name
    return name.lower()
