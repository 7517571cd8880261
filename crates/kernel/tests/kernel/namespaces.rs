//! KER-1, KER-2: the rows of namespaces, without a server around them. All of it runs in the store of `main` here, which
//! has the same tables.

use base::OpResult;
use base::{Engine, Sql};
use kernel::namespaces::{
    CHANGE_NAMESPACE, CREATE_NAMESPACE, ChangeNamespace, CreateNamespace, FIND_RESOURCE, FindResource, GIVE_GRANT,
    Grant, GrantedRead, LIST_GRANTS, LIST_NAMESPACES, LIST_RESOURCES, NamespaceRow, NamespaceRules, PUT_RESOURCE,
    PutResource, READ_KNOWN, RECORD_GRANTED_READ, REMOVE_NAMESPACE, REMOVE_RESOURCE, RESOURCE_BYTES_MAX,
    RemoveNamespace, ResourceName, SEED_NAMESPACES, SETTLE_NAMESPACE, SecretUrl, SeedNamespaces, Settled, Standing,
    State, TAKE_GRANT, granted,
};

use kernel::Caller;

use crate::world::{World, error_code};

fn world() -> World {
    let world = World::new();
    seed(&world);
    world
}

fn seed(world: &World) {
    let input = SeedNamespaces { admin: "z".into(), engine: Engine::Sqlite, node: "n".into() };
    world.call(&SEED_NAMESPACES, world.request(), input).unwrap();
}

fn wish(name: &str) -> CreateNamespace {
    let rules = NamespaceRules { namespaces_max: 4, ..NamespaceRules::default() };
    CreateNamespace {
        name: name.into(),
        label: None,
        engine: None,
        url: None,
        temporary: false,
        rules,
        admin: "z".into(),
    }
}

fn create(world: &World, wish: CreateNamespace) -> OpResult<NamespaceRow> {
    world.call(&CREATE_NAMESPACE, world.request(), wish).map(|reply| reply.out)
}

fn settle(world: &World, row: &NamespaceRow, from: State) {
    let input = Settled { name: row.name.clone(), place: row.place.clone(), from };
    world.call(&SETTLE_NAMESPACE, world.request(), input).unwrap();
}

fn remove(world: &World, name: &str) -> OpResult<NamespaceRow> {
    let input = RemoveNamespace { name: name.into(), admin: "z".into() };
    world.call(&REMOVE_NAMESPACE, world.request(), input).map(|reply| reply.out)
}

fn states(world: &World) -> Vec<(String, State)> {
    world.read(&LIST_NAMESPACES, ()).unwrap().into_iter().map(|row| (row.name, row.state)).collect()
}

fn closed(name: &str) -> ChangeNamespace {
    let state = Some((State::Closed, "moving".into(), None));
    ChangeNamespace { name: name.into(), state, admin: "z".into(), ..ChangeNamespace::default() }
}

#[test]
fn ker_2_main_and_z_have_rows_from_the_first_start_and_keep_them() {
    let world = world();
    assert_eq!(states(&world), [("main".into(), State::Creating), ("z".into(), State::Open)]);
    let main = world.read(&LIST_NAMESPACES, ()).unwrap().remove(0);
    settle(&world, &main, State::Creating);
    world.call(&CHANGE_NAMESPACE, world.request(), closed("main")).unwrap();
    seed(&world);
    assert_eq!(states(&world), [("main".into(), State::Closed), ("z".into(), State::Open)], "a start changes nothing");
}

#[test]
fn ker_2_creating_twice_gives_what_is_there_and_another_wish_is_refused() {
    let world = world();
    let made = create(&world, wish("shop")).unwrap();
    assert_eq!(create(&world, wish("shop")).unwrap(), made);
    for other in [
        CreateNamespace { label: Some("another".into()), ..wish("shop") },
        CreateNamespace { temporary: true, ..wish("shop") },
        CreateNamespace {
            engine: Some(Engine::Postgres),
            url: Some(SecretUrl("host=x password=hunter2".into())),
            ..wish("shop")
        },
        CreateNamespace { engine: Some(Engine::Postgres), ..wish("new") },
        CreateNamespace { url: Some(SecretUrl("host=x password=hunter2".into())), ..wish("new") },
        wish("z"),
    ] {
        assert_eq!(error_code(create(&world, other)).0, "ANAMESPACE");
    }
    for bad in ["", "Shop", "a-b", "0123456789abcdefg", "../../etc"] {
        assert_eq!(error_code(create(&world, wish(bad))).0, "ABODY", "{bad}");
    }
    create(&world, wish("fourth")).unwrap();
    assert_eq!(error_code(create(&world, wish("fifth"))).0, "ALIMIT");
    assert_eq!(states(&world).len(), 4, "what was refused left nothing");
}

#[test]
fn ker_1_the_way_to_a_database_is_kept_but_never_printed_nor_kept_with_answers() {
    let world = world();
    let url = Some(SecretUrl("host=x password=hunter2".into()));
    let made = create(&world, CreateNamespace { engine: Some(Engine::Postgres), url, ..wish("far") }).unwrap();
    assert!(!format!("{made:?}").contains("hunter2") && !serde_json::to_string(&made).unwrap().contains("hunter2"));
    let kept = world.read(&READ_KNOWN, ()).unwrap().rows["far"].url.clone().unwrap();
    assert_eq!(kept.0, "host=x password=hunter2");
}

#[test]
fn ker_2_a_late_word_about_one_life_changes_nothing_about_the_next() {
    let world = world();
    let first = create(&world, wish("shop")).unwrap();
    settle(&world, &first, State::Creating);
    settle(&world, &first, State::Creating);
    remove(&world, "shop").unwrap();
    assert_eq!(error_code(create(&world, wish("shop"))).0, "OREMOVING");
    assert_eq!(error_code(world.call(&CHANGE_NAMESPACE, world.request(), closed("shop"))).0, "ANAMESPACE");
    settle(&world, &first, State::Removing);
    let second = create(&world, wish("shop")).unwrap();
    assert_ne!(first.place, second.place);
    settle(&world, &second, State::Creating);
    remove(&world, "shop").unwrap();
    settle(&world, &first, State::Removing);
    assert!(states(&world).contains(&("shop".into(), State::Removing)), "the first life's node is late");
    settle(&world, &second, State::Removing);
    assert_eq!(states(&world).len(), 2);
    for kept in ["main", "z"] {
        assert_eq!(error_code(remove(&world, kept)).0, "ANAMESPACE");
    }
    assert_eq!(error_code(remove(&world, "nobody")).0, "NNAMESPACE");
}

#[test]
fn ker_1_grants_are_given_taken_asked_in_memory_and_go_with_their_namespace() {
    let world = world();
    let grant = |reader: &str| Grant { owner: "main".into(), reader: reader.into(), class: "Order".into() };
    let give = |reader: &str| world.call(&GIVE_GRANT, world.request(), grant(reader));
    let shop = create(&world, wish("shop")).unwrap();
    give("shop").unwrap();
    give("shop").unwrap();
    give("z").unwrap();
    assert_eq!(error_code(give("nobody")).0, "NNAMESPACE");
    assert_eq!(error_code(give("main")).0, "ANAMESPACE");
    assert_eq!(world.read(&LIST_GRANTS, "main".into()).unwrap().len(), 2);
    let learn = || world.kernel.registry().learn(world.read(&READ_KNOWN, ()).unwrap());
    assert!(!granted(&world.kernel, "shop", "main", "Order"), "not known yet");
    learn();
    assert!(granted(&world.kernel, "shop", "main", "Order"));
    for (reader, owner, class) in [("main", "shop", "Order"), ("shop", "main", "order"), ("x", "main", "Order")] {
        assert!(!granted(&world.kernel, reader, owner, class), "{reader} {owner} {class}");
    }
    world.call(&TAKE_GRANT, world.request(), grant("z")).unwrap();
    world.call(&TAKE_GRANT, world.request(), grant("z")).unwrap();
    remove(&world, "shop").unwrap();
    settle(&world, &shop, State::Removing);
    create(&world, wish("shop")).unwrap();
    learn();
    assert!(!granted(&world.kernel, "shop", "main", "Order"), "another life begins without the first one's grants");
    world.check_invariants();
}

#[test]
fn ker_1_a_read_through_a_grant_is_told_in_the_owners_journal() {
    static LINES: Sql = Sql::new("test.lines", "SELECT subject, text FROM journal WHERE kind = 'grant.read'");
    let world = world();
    let read = GrantedRead { reader: "shop".into(), class: "Order".into(), document: "o1".into() };
    world.call(&RECORD_GRANTED_READ, world.request(), read).unwrap();
    let lines = world.rows(&LINES);
    assert_eq!((lines[0].text(0), lines[0].text(1)), ("o1", "namespace shop read class Order"));
}

fn file(namespace: &str, path: &str, bytes: &[u8]) -> PutResource {
    let name = ResourceName { namespace: namespace.into(), path: path.into() };
    PutResource { name, media_type: "text/plain".into(), bytes: bytes.into() }
}

#[test]
fn ker_2_a_resource_is_the_namespaces_own_or_else_the_common_one() {
    let world = world();
    create(&world, wish("shop")).unwrap();
    let put = |put: PutResource| world.call(&PUT_RESOURCE, world.request(), put).map(|reply| reply.out);
    let find = |namespace: &str, path: &str, known: Vec<String>| {
        let name = ResourceName { namespace: namespace.into(), path: path.into() };
        world.read(&FIND_RESOURCE, FindResource { name, common: "z".into(), known })
    };
    put(file("z", "a/style.css", b"common")).unwrap();
    assert_eq!(find("shop", "a/style.css", vec![]).unwrap().bytes.unwrap(), b"common");
    let own = put(file("shop", "a/style.css", b"own")).unwrap();
    assert_eq!(find("shop", "a/style.css", vec![]).unwrap().bytes.unwrap(), b"own");
    assert_eq!(find("main", "a/style.css", vec![]).unwrap().bytes.unwrap(), b"common");
    assert_eq!(find("shop", "a/style.css", vec![own.sha256]).unwrap().bytes, None, "the client has it");
    put(file("shop", "only", b"")).unwrap();
    assert_eq!(error_code(find("main", "only", vec![])).0, "NRESOURCE", "nobody else's own");
    let name = ResourceName { namespace: "shop".into(), path: "a/style.css".into() };
    world.call(&REMOVE_RESOURCE, world.request(), name.clone()).unwrap();
    world.call(&REMOVE_RESOURCE, world.request(), name).unwrap();
    assert_eq!(find("shop", "a/style.css", vec![]).unwrap().bytes.unwrap(), b"common");
    world.check_invariants();
}

#[test]
fn ker_34_resources_have_limits() {
    let world = world();
    let put = |put: PutResource| world.call(&PUT_RESOURCE, world.request(), put).map(|reply| reply.out);
    for bad in ["", "/a", "a/../b", "a//b", ".", "a\nb", &"x".repeat(256), &"a/".repeat(300)] {
        assert_eq!(error_code(put(file("z", bad, b""))).0, "ABODY", "{bad}");
    }
    assert_eq!(error_code(put(file("nobody", "a", b""))).0, "NNAMESPACE");
    let large = vec![b'x'; RESOURCE_BYTES_MAX + 1];
    let refused = put(file("z", "a", &large)).unwrap_err();
    assert!(refused.code.name == "ATOOBIG" && refused.message.contains("1048576"), "{refused}");
    for number in 0..16 {
        put(file("z", &number.to_string(), &large[1..])).unwrap();
    }
    assert_eq!(error_code(put(file("z", "one-more", b"x"))).0, "ALIMIT");
    put(file("main", "elsewhere", b"x")).unwrap();
    assert_eq!(world.read(&LIST_RESOURCES, "z".into()).unwrap().len(), 16);
}

#[test]
fn ker_2_only_an_open_namespace_takes_operations_whichever_way_they_come() {
    let world = world();
    let put = |caller: Caller| {
        let request = world.kernel.request(caller);
        world.call(&PUT_RESOURCE, request, file("main", "a", b"x")).map_or_else(|error| error.code.name, |_| "")
    };
    for (state, told) in [
        (State::Open, ""),
        (State::ReadOnly, "OREADONLY"),
        (State::Closed, "OCLOSED"),
        (State::Removing, "OREMOVING"),
        (State::Open, ""),
    ] {
        world.main().set_standing(Standing { state, ..Standing::OPEN });
        assert_eq!(put(Caller::public()), told, "{state:?}");
        assert_eq!(put(Caller::server("test")), "", "the server's own work goes on: {state:?}");
    }
}
