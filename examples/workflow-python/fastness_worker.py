"""A worker of the workflow in plain Python: no packages, one file, copy it into your program.

    worker = Worker("http://127.0.0.1:7400", key, "price#1", concurrency=4)

    @worker.on("price")
    def price(article, amount):
        return 3 * amount

    worker.run()          # until worker.stop(), or Ctrl-C

A function gets the arguments of its task and gives its result, or raises: the class of the error is the name of the exception's type.
One that takes the results of tasks that may fail gets a `Failed` where a value would be. A coordinator returns `plan.result(...)`:

    @worker.on("begin")
    def begin(lines):
        plan = Plan()
        prices = [plan.task("price#1", "price", *line, retry={"max_attempts": 3}) for line in lines]
        total = plan.task("sum#1", "sum", *prices)
        return plan.result(total)

`work()` tells a function of its own task: its id, the attempt, what an earlier attempt saved; `work().save(...)` saves how far it is.

What holds: a heartbeat is said at a third of the task's time for as long as its function runs; a result is brought under one
Idempotency-Key until the server answers; a server that is away is waited for. A function cannot be stopped from outside in Python:
one that runs long asks `work().is_lost` now and then.
"""

import json
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

_here = threading.local()


class Refused(Exception):
    """The server said no, and asking again will not help."""


class Failed:
    """The error of a task that may fail, in place of its value."""

    def __init__(self, error):
        self.error_class = error.get("class", "Error")
        self.message = error.get("message", "")

    def __repr__(self):
        return f"Failed({self.error_class}: {self.message})"


class Failure(Exception):
    """An error with a class of its own."""

    def __init__(self, error_class, message):
        super().__init__(message)
        self.error_class = error_class


class Promise:
    """The result of a task before it is there."""

    def __init__(self, task_id):
        self.task_id = task_id


class Plan:
    """The tasks that a coordinator lays out."""

    def __init__(self):
        self.tasks = []

    def task(self, actor, method="", *args, **more):
        """Lays out a task. `more`: retry, timeout_ms, accept_fail, start_at, task_list, key, wait_for (promises)."""
        task = {"id": f"t{len(self.tasks) + 1}", "actor": actor, "method": method, "args": [_argument(arg) for arg in args]}
        waited = [promise.task_id for promise in more.pop("wait_for", [])]
        task.update({"wait_for": waited} if waited else {}, **more)
        self.tasks.append(task)
        return Promise(task["id"])

    def result(self, value=None):
        """The decision; its own result is a value, or a promise of one of its tasks."""
        return _Decision({"promise": value.task_id} if isinstance(value, Promise) else value, self.tasks)


class _Decision:
    def __init__(self, value, tasks):
        self.value, self.tasks = value, tasks


def _argument(value):
    return {"promise": value.task_id} if isinstance(value, Promise) else {"value": value}


class Client:
    """Calls of the workflow's API."""

    def __init__(self, server, key, namespace="main"):
        self.base, self.key = f"{server.rstrip('/')}/v1/{namespace}/workflow/", key

    def call(self, method, path, body=None, once=None, timeout=60):
        """One call, tried once."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if once:
            headers["Idempotency-Key"] = once
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if 400 <= error.code < 500 and error.code not in (408, 425, 429):
                raise Refused(f"{path}: {error.code} {error.read().decode(errors='replace')}") from None
            raise

    def change(self, path, body, tries=None):
        """A change, repeated under one key until it is answered: whatever happens on the way, it is done once."""
        once, pause = str(uuid.uuid4()), 0.1
        while True:
            try:
                return self.call("POST", path, body, once)
            except OSError:  # urllib's own errors are some of these
                tries = None if tries is None else tries - 1
                if tries == 0:
                    raise
                time.sleep(pause)
                pause = min(pause * 2, 5)

    def start(self, kind, actor, method, *args, custom_id=None, key=None):
        """Starts a process; gives its id. With a `key` at most one of its type is started."""
        body = {"type": kind, "start": {"actor": actor, "method": method, "args": [_argument(arg) for arg in args]}}
        body.update({name: value for name, value in (("custom_id", custom_id), ("key", key)) if value is not None})
        return self.change("processes", body)["process_id"]

    def signal(self, process, name, value=None):
        """Brings a signal to a process."""
        self.change(f"processes/{process}/signal", {"name": name, "value": value})

    def wait(self, process, timeout=None):
        """Waits until a process is not active any more; gives all that the server tells of it."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = 30 if end is None else max(0, min(30, end - time.monotonic()))
            shown = self.call("GET", f"processes/{process}?wait_ms={int(left * 1000)}")
            if shown["state"] != "ACTIVE" or left == 0:
                return shown


class Work:
    """The task that a function works on."""

    def __init__(self, client, given):
        self._client, self._given = client, given
        self.task_id, self.process_id, self.attempt = given["task_id"], given["process_id"], given["attempt"]
        self.key, self.checkpoint = given.get("key"), given.get("checkpoint")
        self.is_lost = False
        self._beat_at = time.monotonic() + self._every()

    def _every(self):
        return max(self._given["timeout_ms"], 100) / 3000

    def _pass(self):
        return {name: self._given[name] for name in ("task_id", "attempt", "pass")}

    def save(self, checkpoint):
        """Saves how far this is, for the next attempt."""
        heard = self._client.call("POST", "heartbeat", {"tasks": [{**self._pass(), "checkpoint": checkpoint}]})
        if not heard["tasks"][0]["ok"]:
            self.is_lost = True
            raise Failure("NotMine", f"task {self.task_id} is somebody else's now")


def work():
    """The task of the function that asks."""
    return _here.work


class Worker:
    """Polls as an actor and calls a function for each task."""

    def __init__(self, server, key, actor, namespace="main", concurrency=1, task_list=None, name=None, wait=10):
        self.client, self.actor, self.concurrency, self.wait = Client(server, key, namespace), actor, concurrency, wait
        self.functions, self.in_work, self.lock = {}, {}, threading.Lock()
        self.free, self.stopped = threading.Semaphore(concurrency), threading.Event()
        self.asked = None  # the key of a poll that was not answered: what was given out then is given again
        self.more = {name: value for name, value in (("task_list", task_list), ("worker", name)) if value is not None}

    def on(self, method):
        """Tasks of this method are done by the function below."""

        def take(function):
            self.functions[method] = function
            return function

        return take

    def stop(self):
        """Takes nothing new; `run` ends when what is in work has ended."""
        self.stopped.set()

    def run(self):
        """Works until `stop`, or until the server refuses for good."""
        threading.Thread(target=self._beat, daemon=True).start()
        with ThreadPoolExecutor(self.concurrency) as pool:
            try:
                while not self.stopped.is_set():
                    for given in self._poll():
                        pool.submit(self._do, given)
            except KeyboardInterrupt:
                pass
            finally:
                self.stopped.set()

    def _poll(self):
        """As many tasks as there are free hands."""
        hands = 0
        while self.free.acquire(blocking=hands == 0):  # waits for the first
            hands += 1
        tasks = []
        try:
            body = {"actor": self.actor, "max": min(hands, 500), "wait_ms": int(self.wait * 1000), **self.more}
            self.asked = self.asked or str(uuid.uuid4())
            tasks = self.client.call("POST", "poll", body, self.asked, timeout=self.wait + 30)["tasks"]
            self.asked = None
        except OSError:
            self.stopped.wait(1)  # the server is away, or has no room
        finally:
            for _ in range(hands - len(tasks)):
                self.free.release()
        return tasks

    def _do(self, given):
        """One task, from the call of its function to its result."""
        _here.work = mine = Work(self.client, given)
        with self.lock:
            self.in_work[given["task_id"]] = mine
        try:
            self._bring(mine, self._result(given))
        except Refused as error:
            print(f"task {mine.task_id}: {error}", flush=True)
        finally:
            with self.lock:
                self.in_work.pop(given["task_id"], None)
            self.free.release()

    def _result(self, given):
        try:
            function = self.functions.get(given["method"])
            if function is None:
                raise Failure("UnknownMethod", f"{self.actor} has no method `{given['method']}`")
            args = [Failed(arg["error"]) if arg.get("error") else arg.get("value") for arg in given["args"]]
            out = function(*args)
            return {"value": out.value, "tasks": out.tasks} if isinstance(out, _Decision) else {"value": out}
        except Exception as error:  # whatever it is, it is the task's error
            name = getattr(error, "error_class", type(error).__name__)
            return {"error": {"class": name, "message": str(error), "trace": traceback.format_exc()}}

    def _bring(self, mine, result):
        if mine.is_lost:
            return
        told = self.client.change("release", {"results": [{**mine._pass(), **result}]})["results"][0]
        if not told["accepted"]:
            print(f"task {mine.task_id}: {told.get('reason')}", flush=True)
            heard = self.client.call("POST", "heartbeat", {"tasks": [mine._pass()]})
            if "error" not in result and heard["tasks"][0]["ok"]:  # the result itself is at fault: else it would be done for ever
                error = {"class": "RefusedResult", "message": told.get("reason") or ""}
                self.client.change("release", {"results": [{**mine._pass(), "error": error}]})

    def _beat(self):
        """Says at a third of their time that tasks are worked on."""
        while not (self.stopped.wait(0.02) and not self.in_work):
            now = time.monotonic()
            with self.lock:
                due = [mine for mine in self.in_work.values() if mine._beat_at <= now and not mine.is_lost]
            if not due:
                time.sleep(0.02)  # after a stop the wait above does not pause
                continue
            try:
                heard = self.client.call("POST", "heartbeat", {"tasks": [mine._pass() for mine in due]}, timeout=10)
                for mine, told in zip(due, heard["tasks"]):
                    mine.is_lost, mine._beat_at = not told["ok"], now + mine._every()
            except (OSError, Refused):
                for mine in due:
                    mine._beat_at = now + min(1, mine._every())
