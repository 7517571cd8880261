// What every peer is asked: a line of JSON comes in, a line of JSON goes out.
//
// A peer is { start(workers, done), enqueue(ids), stop() }: `start` begins to run jobs and calls `done(id)` for each that is done,
// `enqueue` resolves once the jobs are durable, `stop` ends the workers.

import { createInterface } from "node:readline";

/** Serves one peer until its input ends. */
export async function serve(peer) {
  const commands = { rate: (ask) => rate(peer, ask), latency: (ask) => latency(peer, ask) };
  for await (const line of createInterface({ input: process.stdin })) {
    const ask = JSON.parse(line);
    console.log(JSON.stringify(await commands[ask.do](ask)));
  }
  process.exit(0);
}

/** Seconds from the first enqueue until the last of `tasks` is done, with so many enqueuers of `batch` jobs each. */
async function rate(peer, { tasks, batch, enqueuers, workers }) {
  let left = tasks;
  let last;
  const finished = new Promise((resolve) => (last = resolve));
  await peer.start(workers, () => --left === 0 && last());
  const begun = performance.now();
  let next = 0;
  const enqueuer = async () => {
    while (next < tasks) {
      const ids = Array.from({ length: Math.min(batch, tasks - next) }, () => next++);
      await peer.enqueue(ids);
    }
  };
  await Promise.all(Array.from({ length: enqueuers }, enqueuer));
  await finished;
  const seconds = (performance.now() - begun) / 1000;
  await peer.stop();
  return { seconds };
}

/** Milliseconds from enqueue to done: one job after the other, or so many per second. */
async function latency(peer, { tasks, per_second, workers }) {
  const begun = new Map();
  const waits = [];
  let told;
  const done = (id) => {
    waits.push(performance.now() - begun.get(id));
    told?.();
  };
  await peer.start(workers, done);
  await (per_second ? paced(peer, begun, tasks, per_second) : one_by_one(peer, begun, tasks, (next) => (told = next)));
  while (waits.length < tasks) await new Promise((resolve) => setTimeout(resolve, 5));
  await peer.stop();
  waits.sort((a, b) => a - b);
  return { p50_ms: waits[waits.length >> 1], p99_ms: waits[Math.floor(waits.length * 0.99)] };
}

async function one_by_one(peer, begun, tasks, listen) {
  for (let id = 0; id < tasks; id++) {
    const finished = new Promise((resolve) => listen(resolve));
    begun.set(id, performance.now());
    await peer.enqueue([id]);
    await finished;
  }
}

/** The moment at which a job should have been enqueued counts, so that a peer which is late cannot hide it. */
async function paced(peer, begun, tasks, per_second) {
  const first = performance.now();
  const under_way = [];
  for (let id = 0; id < tasks; ) {
    const due = Math.min(tasks, Math.floor(((performance.now() - first) / 1000) * per_second) + 1);
    for (; id < due; id++) {
      begun.set(id, first + (id * 1000) / per_second);
      under_way.push(peer.enqueue([id]));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under_way);
}
