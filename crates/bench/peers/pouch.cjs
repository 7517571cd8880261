// A copy of a CouchDB database, kept level by PouchDB's own replication: a line of JSON comes in, a line of JSON goes out.
//
// node pouch.cjs <node_modules> <url of the database> <url of the same through the proxy>

const [home, direct_url, counted_url] = process.argv.slice(2);
const load = (name) => require(`${home}/${name}`);
const PouchDB = load("pouchdb-core")
  .plugin(load("pouchdb-adapter-http"))
  .plugin(load("pouchdb-adapter-memory"))
  .plugin(load("pouchdb-replication"));

const direct = new PouchDB(direct_url);
const counted = new PouchDB(counted_url);
const copy = new PouchDB("copy", { adapter: "memory" });

async function write(docs) {
  const told = await direct.bulkDocs(docs);
  const refused = told.find((one) => one.error);
  if (refused) throw new Error(JSON.stringify(refused));
}

const commands = {
  async make({ docs }) {
    for (let at = 0; at < docs.length; at += 1000) await write(docs.slice(at, at + 1000));
    return {};
  },
  async change({ docs }) {
    const found = await direct.allDocs({ keys: docs.map((doc) => doc._id) });
    await write(docs.map((doc, at) => ({ ...doc, _rev: found.rows[at].value.rev })));
    return {};
  },
  async pull() {
    const begun = performance.now();
    const done = await copy.replicate.from(counted, { batch_size: 1000 });
    return { ms: performance.now() - begun, docs: done.docs_written };
  },
};

const { createInterface } = require("node:readline");
const { performance } = require("node:perf_hooks");

(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const ask = JSON.parse(line);
    console.log(JSON.stringify(await commands[ask.do](ask)));
  }
  process.exit(0);
})();
