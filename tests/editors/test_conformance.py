"""Every journey in every editor that is installed: the same list, the same bytes."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
import pytest_asyncio
from tests.editors.conformance.clients import HEAD, NOT_RUN, row_of, rows_of_page
from tests.editors.conformance.driver import Driver, NotPossible
from tests.editors.conformance.second_goes import twice_if_late
from tests.editors.conformance.stage import Stage, stage
from tests.editors.conformance.table import TABLE, Failed, Impossible
from tests.editors.journeys import JOURNEYS, Journey

pytestmark = pytest.mark.journey

DRIVERS = (
    "nvim.driver:WithPlugin",
    "nvim.driver:Plain",
    "emacs.driver:WithPackage",
    "emacs.driver:LspMode",
    "emacs.driver:LspModeAlone",
    "kate.driver:Stock",
    "vscode.driver:Workbench",
    "vscode.bare:Bare",
    "web.driver:Page",
)
"""Where each driver is, below this folder."""


def drivers() -> list[type[Driver]]:
    found = []
    for where in DRIVERS:
        module, _, name = where.partition(":")
        found.append(getattr(importlib.import_module(f"tests.editors.{module}"), name))
    return found


def runs() -> list[object]:
    """Pair editors and journeys; an editor that is not installed is skipped once, by name."""
    made: list[object] = []
    for kind in drivers():
        if kind.is_installed():
            made += [pytest.param(kind, each, id=f"{kind.TITLE}: {each.name}") for each in JOURNEYS]
        else:
            why = pytest.mark.skip(reason=f"{kind.TITLE} is not installed: {kind.INSTALL}")
            made.append(pytest.param(kind, JOURNEYS[0], marks=why, id=kind.TITLE))
    return made


class Stages:
    """One running editor at a time: it goes on from journey to journey, and is started anew after one that failed."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._open: tuple[type[Driver], Stage] | None = None
        self._exits = contextlib.AsyncExitStack()

    async def get(self, kind: type[Driver]) -> Stage:
        if self._open is None or self._open[0] is not kind:
            await self.drop()
            folder = self._factory.mktemp(kind.__name__)
            self._open = kind, await self._exits.enter_async_context(stage(kind, folder))
        return self._open[1]

    async def drop(self, error: BaseException | None = None) -> None:
        """End the editor; after an error it is not asked to end, it may not listen any more."""
        self._open = None
        with contextlib.suppress(type(error)) if error else contextlib.nullcontext():
            await self._exits.__aexit__(type(error) if error else None, error, None)
        self._exits = contextlib.AsyncExitStack()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stages(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stages]:
    kept = Stages(tmp_path_factory)
    yield kept
    await kept.drop()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("kind", "journey"), runs())
async def test_a_journey_ends_with_the_same_bytes_in_every_editor(
    stages: Stages,
    kind: type[Driver],
    journey: Journey,
    record_property: Callable[[str, object], None],
) -> None:
    try:
        # A busy machine can use up an editor's time; wrong bytes are wrong at once.
        it, is_second_go = await twice_if_late(
            partial(go, stages, kind, journey),
            start_again=stages.drop,
            name=f"{kind.TITLE}: {journey.name}",
            record_property=record_property,
        )
    except NotPossible as why:
        TABLE.verdicts[journey.name, kind.TITLE] = Impossible(str(why))
        await stages.drop()  # it may have stopped half-way
        pytest.skip(f"not possible here: {why}")
    except BaseException as error:
        TABLE.verdicts[journey.name, kind.TITLE] = Failed()
        await stages.drop(error)
        raise
    TABLE.passed(journey.name, it, is_second_go=is_second_go)


async def go(stages: Stages, kind: type[Driver], journey: Journey) -> Stage:
    """Go a journey to its end; gives the stage it was gone on."""
    it = await stages.get(kind)
    await it.begin(journey.file, journey.content, journey.beside)
    await journey.run(it)
    return it


def test_what_a_driver_lacks_is_something_a_journey_wants() -> None:
    for kind in drivers():
        assert set(kind.LACKS) <= set(vars(Driver)), kind.TITLE
        assert all(kind.LACKS.values()), kind.TITLE


def test_the_page_of_clients_has_a_row_of_the_right_form_for_each() -> None:
    head, *rows = rows_of_page()
    assert tuple(head) == HEAD
    assert [row[0] for row in rows if row[1] != NOT_RUN] == [kind.TITLE for kind in drivers()]
    assert not any(any(row[2:]) for row in rows if row[1] == NOT_RUN)


def test_the_page_of_clients_says_what_was_seen() -> None:
    """Of each client whose journeys have all been gone in this run."""
    page = {row[0]: row for row in rows_of_page()}
    for kind in drivers():
        seen = {journey for journey, editor in TABLE.verdicts if editor == kind.TITLE}
        if seen == {each.name for each in JOURNEYS}:
            assert row_of(kind.TITLE, TABLE.verdicts) == page[kind.TITLE]
