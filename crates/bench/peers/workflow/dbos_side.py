"""DBOS on PostgreSQL: workflows of steps within this process. A line of JSON comes in, a line of JSON goes out.

A step's result is a row before the workflow goes on. The fan-out is a hundred steps at once (asyncio). Called directly, as its documentation
does: that is its shortest way. Argument: the URL of the database.
"""

import asyncio
import json
import logging
import sys
import threading
import time

from dbos import DBOS, SetWorkflowID

logging.disable(logging.CRITICAL)
DBOS(config={"name": "bench", "system_database_url": sys.argv[1], "sys_db_pool_size": 32, "application_version": "1",
             "run_admin_server": False, "log_level": "CRITICAL"})


@DBOS.step()
def step(n):
    return n + 1


@DBOS.step()
async def step_at_once(n):
    return n + 1


@DBOS.workflow()
def one(n):
    return step(n)


@DBOS.workflow()
def three(n):
    return step(step(step(n)))


@DBOS.workflow()
async def fan(n):
    return sum(await asyncio.gather(*[step_at_once(n + i) for i in range(100)]))


# One for all runs: what ends with a loop does not come back.
LOOP = asyncio.new_event_loop()
EXPECTED = {"one": lambda n: n + 1, "three": lambda n: n + 3, "fan": lambda n: 100 * n + 5050}


def check(shape, n, value):
    if value != EXPECTED[shape](n):
        raise ValueError(f"{shape}({n}) gave {value}")


def run(shape, clients, count, **_):
    return LOOP.run_until_complete(run_fans(clients, count)) if shape == "fan" else run_plain(shape, clients, count)


def run_plain(shape, clients, count):
    waits, failures, numbers, lock = [], [], iter(range(count)), threading.Lock()
    workflow = {"one": one, "three": three}[shape]

    def client():
        while True:
            with lock:
                n = next(numbers, None)
            if n is None:
                return
            begun = time.perf_counter()
            try:
                check(shape, n, workflow(n))
            except Exception as error:
                failures.append(repr(error))
                return
            waits.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    if failures:
        raise ValueError(failures[0])
    return {"seconds": time.perf_counter() - begun, "waits": waits}


async def run_fans(clients, count):
    waits, numbers = [], iter(range(count))

    async def client():
        for n in numbers:
            begun = time.perf_counter()
            check("fan", n, await fan(n))
            waits.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    await asyncio.gather(*[client() for _ in range(clients)])
    return {"seconds": time.perf_counter() - begun, "waits": waits}


def begin(shape, count, **_):
    """Starts them; each is durable when it is answered."""
    workflow = {"one": one, "three": three}[shape]
    for n in range(count):
        with SetWorkflowID(f"begun-{n}"):
            DBOS.start_workflow(workflow, n)
    return {}


def awaited(count, **_):
    for n in range(count):
        DBOS.retrieve_workflow(f"begun-{n}").get_result(polling_interval_sec=0.02)
    return {}


DBOS.launch()
COMMANDS = {"run": run, "begin": begin, "await": awaited, "hello": lambda **_: {}}
for line in sys.stdin:
    asked = json.loads(line)
    try:
        told = COMMANDS[asked.pop("do")](**asked)
    except Exception as error:  # the benchmark is told and stops
        told = {"error": repr(error)}
    print(json.dumps(told), flush=True)
