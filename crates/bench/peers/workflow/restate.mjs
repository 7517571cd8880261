// Restate with its TypeScript SDK: the service, and the clients that call it. A line of JSON comes in, a line of JSON goes out.
//
// A step is a `ctx.run`, which is durable before the handler goes on; a hundred of them at once are the fan-out.
// Arguments: the port of the service, the address of the ingress, the address of the administration.

import { createInterface } from "node:readline";
import { Agent, request } from "node:http";
import * as restate from "@restatedev/restate-sdk";

const [port, ingress, admin] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

const step = (n) => n + 1;
const bench = restate.service({
  name: "Bench",
  handlers: {
    one: (ctx, n) => ctx.run("a", () => step(n)),
    three: async (ctx, n) => {
      const a = await ctx.run("a", () => step(n));
      const b = await ctx.run("b", () => step(a));
      return ctx.run("c", () => step(b));
    },
    fan: async (ctx, n) => {
      const all = Array.from({ length: 100 }, (_, i) => ctx.run(`s${i}`, () => step(n + i)));
      return (await restate.RestatePromise.all(all)).reduce((sum, value) => sum + value, 0);
    },
  },
});

function ask(address, method, path, body, more = {}) {
  const [host, port] = address.split(":");
  const headers = { "content-type": "application/json", ...more };
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, agent, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => (answer.statusCode < 300 ? resolve(text ? JSON.parse(text) : null) : reject(new Error(text))));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const expected = { one: (n) => n + 1, three: (n) => n + 3, fan: (n) => 100 * n + 5050 };

async function run({ shape, clients, count }) {
  const waits = [];
  let next = 0;
  const begun = performance.now();
  const client = async () => {
    while (next < count) {
      const n = next++;
      const from = performance.now();
      const value = await ask(ingress, "POST", `/Bench/${shape}`, n);
      if (value !== expected[shape](n)) throw new Error(`${shape}(${n}) gave ${value}`);
      waits.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { seconds: (performance.now() - begun) / 1000, waits };
}

let under_way = [];

let begun_before = 0;

/** Starts them; each is durable when it is answered. Without a key of its own nobody could wait for one later. */
async function begin({ shape, count }) {
  const key = () => ({ "idempotency-key": `under way ${begun_before++}` });
  const all = Array.from({ length: count }, (_, n) => ask(ingress, "POST", `/Bench/${shape}/send`, n, key()));
  under_way = (await Promise.all(all)).map((told) => told.invocationId);
  return {};
}

/** Waits for all of them, however often the server has to be asked. */
async function awaited() {
  const one = async (id) => {
    for (;;) {
      try {
        return await ask(ingress, "GET", `/restate/invocation/${id}/attach`);
      } catch (error) {
        if (/not found|bad request|invalid/i.test(String(error))) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  await Promise.all(under_way.map(one));
  return {};
}

await restate.serve({ services: [bench], port: Number(port), logger: () => {} });
await ask(admin, "POST", "/deployments", { uri: `http://127.0.0.1:${port}`, force: true });
const commands = { run, begin, await: awaited, hello: async () => ({}) };
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    console.log(JSON.stringify(await commands[asked.do](asked)));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
process.exit(0);
