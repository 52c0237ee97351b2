import asyncio
import threading
import time

import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import disk as runner_disk
from quorate.collect.runner.disk import Disk
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.session import Held, Interrupted

ON_POSTGRES = [pytest.mark.postgres, pytest.mark.parametrize("store", ["postgres"], indirect=True)]


def sleep(ledger, seconds):
    return lambda: ledger._connection.execute(f"SELECT pg_sleep({seconds})")


def test_a_step_is_a_transaction_that_fails_as_a_whole(planned):
    ledger = planned(2)
    disk, before = Disk(ledger), ledger.pauses()

    def broken():
        ledger.pause("a", 5.0)
        raise InvalidInput("no")

    async def main():
        with pytest.raises(InvalidInput, match="no"):
            await disk.written(broken)
        assert await disk.looked(ledger.pauses) == before == {}
        assert await disk.written(lambda: ledger.pause("a", 5.0)) is None

    asyncio.run(main())
    disk.close()
    assert ledger.pauses() == {"a": 5.0}


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_file_that_another_process_holds_is_waited_for_on_the_loop(planned, monkeypatch):
    monkeypatch.setattr(runner_disk, "PATIENCE", 0.1)
    ledger, turns = planned(2), []

    async def main():
        beat = asyncio.create_task(beating())
        with pytest.raises(Held, match="is held by another process"):
            await disk.written(ledger.pauses)
        beat.cancel()

    async def beating():
        while True:
            turns.append(1)
            await asyncio.sleep(0.005)

    disk = Disk(ledger)
    with Ledger.open(ledger.path) as other:
        other.begin()
        asyncio.run(main())
        other.undo()
    disk.close()
    assert len(turns) > 5


class TestServer:
    pytestmark = ON_POSTGRES

    def test_steps_are_done_on_another_thread(self, planned):
        disk = Disk(planned(2))

        async def main():
            return [await step(threading.current_thread) for step in (disk.written, disk.looked)]

        assert threading.main_thread() not in asyncio.run(main())
        disk.close()

    def test_abort_ends_the_wait_for_a_server_that_does_not_answer(self, planned, monkeypatch):
        monkeypatch.setattr(runner_disk, "_LEAVE", 0.2)
        ledger, began = planned(2), time.monotonic()
        disk = Disk(ledger)

        async def main():
            asyncio.get_running_loop().call_later(0.2, disk.abort)
            for _ in range(2):  # the one that waits, and then the next one
                with pytest.raises(Interrupted):
                    await disk.written(sleep(ledger, 20))
            return await disk.looked(ledger.pauses)

        assert asyncio.run(main()) == {}
        disk.close()
        assert time.monotonic() - began < 10

    def test_cancelling_waits_for_the_step_to_have_ended(self, planned):
        ledger, ended, began = planned(2), [], time.monotonic()
        disk = Disk(ledger)

        def step():
            try:
                sleep(ledger, 20)()
            finally:
                ended.append(1)

        async def main():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(disk.written(step), 0.2)
            assert ended == [1]
            assert await disk.looked(ledger.pauses) == {}

        asyncio.run(main())
        disk.close()
        assert time.monotonic() - began < 10
