"""An order: a coordinator lays out a price for each line, waits for an approval where the sum is large, and ends with what is to be paid.

    FASTNESS_KEY=... python3 order.py http://127.0.0.1:7400 work                    workers, until Ctrl-C
    FASTNESS_KEY=... python3 order.py http://127.0.0.1:7400 start chair:2 desk:1    an order; prints its id and its end
    FASTNESS_KEY=... python3 order.py http://127.0.0.1:7400 approve ID yes          what it waits for
"""

import os
import sys
import threading

from fastness_worker import Client, Failed, Plan, Worker, work

PRICES = {"chair": 40, "desk": 200, "lamp": 25}
APPROVED_UP_TO = 100


def begin(lines):
    """A coordinator: prices first, then a further one that decides by them."""
    plan = Plan()
    prices = [plan.task("py-price#1", "price", article, amount, accept_fail=True) for article, amount in lines]
    return plan.result(plan.task("py-order#1", "decide", *prices))


def decide(*prices):
    """It knows the prices: a large sum waits for somebody."""
    plan, known = Plan(), [price for price in prices if not isinstance(price, Failed)]
    total, unknown = sum(known), len(prices) - len(known)
    if total <= APPROVED_UP_TO:
        return {"pay": total, "unknown": unknown}
    approval = plan.task("@signal", "approved")
    return plan.result(plan.task("py-order#1", "end", total, unknown, approval))


def end(total, unknown, approved):
    return {"pay": total if approved else 0, "unknown": unknown}


def price(article, amount):
    """A worker. What it asks outside would be told by the task's id that it was asked before."""
    if article not in PRICES:
        raise KeyError(article)
    work().save({"asked": article})
    return PRICES[article] * amount


def workers(server, key):
    orders, prices = Worker(server, key, "py-order#1"), Worker(server, key, "py-price#1", concurrency=4)
    for function in (begin, decide, end):
        orders.on(function.__name__)(function)
    prices.on("price")(price)
    return orders, prices


def main(server, what, *words):
    key = os.environ["FASTNESS_KEY"]
    client = Client(server, key)
    if what == "work":
        orders, prices = workers(server, key)
        threading.Thread(target=prices.run, daemon=True).start()
        orders.run()
        prices.stop()
    elif what == "start":
        lines = [(article, int(amount)) for article, amount in (word.split(":") for word in words)]
        process = client.start("py-order", "py-order#1", "begin", lines)
        print(process, flush=True)
        ended = client.wait(process)
        print(ended["state"], ended.get("value"), flush=True)
    elif what == "approve":
        client.signal(words[0], "approved", words[1] == "yes")


if __name__ == "__main__":
    main(*sys.argv[1:])
