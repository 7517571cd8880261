// BullMQ on Redis. The job's effect is one command, the end of the job another one. How durable they are is Redis' setting.

import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { serve } from "./harness.mjs";

const port = Number(process.argv[2]);
const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
const queue = new Queue("work", { connection, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } });
await queue.waitUntilReady();
const effects = new Redis(connection);

let worker;
await serve({
  async start(workers, done) {
    const work = async ({ data }) => {
      await effects.rpush("effect", data.id);
    };
    worker = new Worker("work", work, { connection, concurrency: workers });
    worker.on("completed", ({ data }) => done(data.id));
    await worker.waitUntilReady();
  },
  enqueue: (ids) =>
    ids.length === 1
      ? queue.add("work", { id: ids[0] })
      : queue.addBulk(ids.map((id) => ({ name: "work", data: { id } }))),
  stop: () => worker.close(),
});
