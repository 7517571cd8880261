//! Packs over HTTP: texts are read from blobs, which may be away or damaged; the same on PostgreSQL over nodes.

use std::sync::Arc;

use base::{BlobPlaces, Call, CallResult, Sql};
use exchange::folders::BEGIN;
use exchange::packs::{PACK, Packs, perform};
use exchange::{Bodies, Rules, Settings, Watch};
use host::{DiskPlaces, HostOutbound, OutboundSettings, S3Config, S3Places};
use kernel::Kernel;
use kernel::tasks::Dispatcher;
use serde_json::{Value, json};
use tempfile::TempDir;
use testbed_web::PostgresKernel;

use crate::edge::{Edge, Office};
use crate::files::{check_folders, check_requeue, fill, names};

static PACKED: Sql = Sql::new("test.packed", "SELECT COUNT(*) FROM exc_packed");
static DAMAGED: Sql =
    Sql::new("test.damaged", "SELECT COUNT(*) FROM alert WHERE closed_at IS NULL AND kind = 'blob.damaged'");

/// Blobs of a test, in a directory of its own.
struct Vault {
    directory: TempDir,
    places: Arc<dyn BlobPlaces>,
}

impl Vault {
    fn open(kernels: &[&Kernel]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        host::make_root(directory.path()).unwrap();
        let places: Arc<dyn BlobPlaces> = Arc::new(DiskPlaces::below(directory.path()));
        for kernel in kernels {
            kernel.common::<Packs>().set(places.clone());
            let settings = Settings { bodies: Bodies::Blobs, gather_ms: 0, ..Settings::default() };
            kernel.common::<Rules>().set(settings);
        }
        Self { directory, places }
    }

    /// The file of the one pack.
    fn file(&self) -> std::path::PathBuf {
        let root = self.directory.path().join("namespaces/main/blobs");
        let name = self.places.place("main").unwrap().list(None, 2).unwrap();
        assert_eq!(name.len(), 1);
        root.join(name[0].to_string())
    }
}

/// Has the packer do all that is due.
fn pack(office: &Office) {
    let world = office.edge.world();
    world.call(&BEGIN, ()).unwrap();
    for _ in 0..100 {
        world.pass_ms(0);
        let Some((call, done)) = world.partner.next() else { return };
        let Call::Work(call) = call else { panic!("{call:?}") };
        done(perform(&world.kernel, &call).map_or_else(CallResult::NotMade, CallResult::Worked));
    }
    panic!("the packer never ends")
}

/// Names of what is done.
fn logged(office: &Office) -> Vec<String> {
    names(&office.edge.all("/folders?db=erp&folder=Log", 5))
}

#[test]
fn exc_8_texts_are_read_from_packs_and_messages_put_back_from_them() {
    let office = Office::open();
    let _vault = Vault::open(&[&office.edge.kernel]);
    fill(&office);
    pack(&office);
    assert_eq!(office.edge.count(&PACKED), 3);
    check_folders(&office);
    assert_eq!(office.edge.get(&format!("/files/{}", logged(&office)[0])), office.message("a", 0));
    check_requeue(&office);
    office.check();
    assert_eq!(office.edge.count(&PACKED), 1);
}

/// A storage where nobody listens.
fn nowhere() -> Arc<dyn BlobPlaces> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let [bucket, region, access_key, secret_key] = ["b", "r", "k", "s"].map(str::to_owned);
    Arc::new(S3Places::open(S3Config { url, bucket, region, access_key, secret_key }).unwrap())
}

#[test]
fn exc_8_a_text_in_a_storage_that_is_away_is_answered_later_and_nothing_changes() {
    let office = Office::open();
    let vault = Vault::open(&[&office.edge.kernel]);
    fill(&office);
    pack(&office);
    office.edge.kernel.common::<Packs>().set(nowhere());
    let name = logged(&office)[0].clone();
    for (method, path) in [("GET", format!("/files/{name}")), ("POST", format!("/files/{name}/requeue"))] {
        let reply = office.edge.send(crate::edge::ADMIN, method, &path, &[], "");
        assert_eq!((reply.status, reply.code().as_str()), (503, "XSTORE"), "{}", reply.text);
        assert!(reply.headers.contains_key("retry-after"));
    }
    assert_eq!((office.state("a"), office.edge.count(&PACKED)), (json!("processed"), 3));
    // What can be given needs the store alone.
    let process = office.started();
    let said = json!({ "results": crate::edge::results("PROCESSED", &["d"]), "replies": [office.reply("r")] });
    assert_eq!(office.step(&process, "prepare", said), json!("OK"));
    assert_eq!((office.step(&process, "commit", json!({})), office.fetched()), (json!("OK"), vec!["r".to_owned()]));
    office.edge.kernel.common::<Packs>().set(vault.places.clone());
    assert_eq!(office.edge.get(&format!("/files/{name}")), office.message("a", 0));
    assert_eq!(office.edge.refused("POST", &format!("/files/{name}/requeue"), &Value::Null).0, 204);
    office.check();
}

/// The page of a message, for people.
fn page(office: &Office, name: &str) -> String {
    let mut request =
        office.edge.request(crate::edge::ADMIN, "GET", "/v1/x", &[("accept-language", "en")], String::new());
    *request.uri_mut() = format!("/console/main/exchange/messages/{name}").parse().unwrap();
    let reply = office.edge.runtime.block_on(crate::edge::answered(office.edge.router.clone(), request));
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.text
}

#[test]
fn exc_8_con_3_the_page_of_a_message_shows_a_text_from_its_pack_and_stands_without_it() {
    let office = Office::open();
    let vault = Vault::open(&[&office.edge.kernel]);
    fill(&office);
    pack(&office);
    let name = logged(&office)[0].clone();
    let (shown, text) = (page(&office, &name), "&quot;payload&quot;");
    assert!(shown.contains(text) && shown.contains("the text is in a blob"), "{shown}");
    office.edge.kernel.common::<Packs>().set(nowhere());
    assert!(!page(&office, &name).contains(text));
    office.edge.kernel.common::<Packs>().set(vault.places.clone());
    assert!(page(&office, &name).contains(text));
}

#[test]
fn exc_8_a_pack_that_is_not_what_was_stored_is_never_served_and_a_person_is_told() {
    let office = Office::open();
    let vault = Vault::open(&[&office.edge.kernel]);
    fill(&office);
    pack(&office);
    let changed = std::fs::read_to_string(vault.file()).unwrap().replace("order", "0rder");
    std::fs::write(vault.file(), changed).unwrap();
    for name in logged(&office) {
        assert_eq!(office.edge.refused("GET", &format!("/files/{name}"), &Value::Null), (500, "XBLOB".into()));
        let refused = office.edge.refused("POST", &format!("/files/{name}/requeue"), &Value::Null);
        assert_eq!(refused, (500, "XBLOB".into()));
    }
    assert_eq!((office.state("a"), office.edge.count(&DAMAGED)), (json!("processed"), 1));
    office.check();
}

/// A node that runs tasks, and packs.
struct Node {
    _dispatcher: Dispatcher,
    _watch: Watch,
    outbound: Arc<HostOutbound>,
}

impl Node {
    fn start(kernel: &Kernel) -> Self {
        let outbound = Arc::new(HostOutbound::new(OutboundSettings::default()).unwrap());
        let packing = kernel.clone();
        outbound.register(PACK, move |call| perform(&packing, &call));
        let dispatcher = Dispatcher::start(kernel, outbound.clone());
        Self { _dispatcher: dispatcher, _watch: Watch::start(kernel), outbound }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.outbound.close();
    }
}

#[test]
fn exc_8_ker_23_packs_are_made_and_read_by_two_nodes_on_postgres() {
    let nodes = PostgresKernel::open_nodes("exc_packs_two", &exchange::SERVICE, 2);
    nodes.iter().for_each(PostgresKernel::rest);
    let kernels: Vec<Kernel> = nodes.iter().map(|node| node.kernel.clone()).collect();
    let _vault = Vault::open(&kernels.iter().collect::<Vec<_>>());
    let _working: Vec<Node> = kernels.iter().map(Node::start).collect();
    let office = Office::of(Edge::of_nodes(&kernels));
    fill(&office);
    assert!((0..100_000).any(|_| office.edge.count(&PACKED) == 3), "they are packed by and by");
    check_folders(&office);
    assert_eq!(office.edge.get(&format!("/files/{}", logged(&office)[0])), office.message("a", 0));
    check_requeue(&office);
    assert_eq!(office.edge.get("/ledger?db=erp")["balances"], json!(true));
}
