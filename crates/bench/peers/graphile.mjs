// graphile-worker on PostgreSQL. The job's row is one commit, the end of the job another one. `tuned` are the batches that its
// documentation recommends for high rates: jobs are locked 500 at a time before any of them begins.

import { EventEmitter } from "node:events";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { serve } from "./harness.mjs";

const tuned = process.argv[2] === "tuned";
const schema = tuned ? "graphile_tuned" : "graphile";
const pool = new pg.Pool({ max: 24 });
pool.on("error", (error) => console.error(error));
pool.on("connect", (client) => client.on("error", (error) => console.error(error)));
const quiet = new Logger(() => () => {});
const preset = { worker: { schema, ...(tuned && { localQueue: { size: 500 }, completeJobBatchDelay: 0 }) } };
const utils = await makeWorkerUtils({ pgPool: pool, preset, logger: quiet });
await utils.migrate();
await pool.query(`CREATE TABLE IF NOT EXISTS ${schema}.effect (id BIGSERIAL PRIMARY KEY, job BIGINT NOT NULL)`);
const insert = { name: "effect", text: `INSERT INTO ${schema}.effect (job) VALUES ($1)` };

let runner;
const work = async ({ id }, helpers) => {
  await helpers.withPgClient((client) => client.query({ ...insert, values: [id] }));
};

await serve({
  async start(workers, done) {
    const events = new EventEmitter();
    events.on("job:complete", ({ job }) => done(job.payload.id));
    const concurrentJobs = workers;
    runner = await run({
      pgPool: pool, preset: { worker: { ...preset.worker, concurrentJobs } }, taskList: { work }, events, logger: quiet,
      noHandleSignals: true,
    });
  },
  enqueue: (ids) =>
    ids.length === 1
      ? utils.addJob("work", { id: ids[0] })
      : utils.addJobs(ids.map((id) => ({ identifier: "work", payload: { id } }))),
  stop: () => runner.stop(),
});
