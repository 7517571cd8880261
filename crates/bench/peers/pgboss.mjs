// pg-boss on PostgreSQL, woken by NOTIFY, fetching again at once while batches are full. The job's row is one commit, the end of
// its batch another one. A job counts as done when its handler has returned: its end is written later, nobody is told.

import pg from "pg";
import { PgBoss } from "pg-boss";
import { serve } from "./harness.mjs";

const pool = new pg.Pool({ max: 24 });
const boss = new PgBoss({ schema: "pgboss", max: 24, useListenNotify: true, supervise: false, schedule: false });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue("work", { notify: true });
await pool.query("CREATE TABLE IF NOT EXISTS pgboss.effect (id BIGSERIAL PRIMARY KEY, job BIGINT NOT NULL)");
const insert = { name: "effect", text: "INSERT INTO pgboss.effect (job) VALUES ($1)" };

await serve({
  async start(workers, done) {
    const options = {
      localConcurrency: 2, batchSize: Math.max(workers / 2, 1), pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    };
    await boss.work("work", options, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => pool.query({ ...insert, values: [data.id] })));
      jobs.forEach(({ data }) => done(data.id));
    });
  },
  enqueue: (ids) =>
    ids.length === 1 ? boss.send("work", { id: ids[0] }) : boss.insert("work", ids.map((id) => ({ data: { id } }))),
  stop: () => boss.offWork("work", { wait: true }),
});
