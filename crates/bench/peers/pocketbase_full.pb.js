// PocketBase opens its files with synchronous=NORMAL. All its writes take one connection; with this it syncs every commit.
onBootstrap((e) => {
  e.next();
  $app.nonconcurrentDB().newQuery("PRAGMA synchronous=FULL").execute();
  const row = new DynamicModel({ synchronous: -1 });
  $app.nonconcurrentDB().newQuery("PRAGMA synchronous").one(row);
  console.log("synchronous is " + row.synchronous);
});
