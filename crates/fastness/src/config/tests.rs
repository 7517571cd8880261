//! KER-36 as a whole: layers, mistakes, and what is printed.

use std::time::Duration;

use base::Engine;
use expect_test::{Expect, expect};

use super::*;

const NO_ENV: [(String, String); 0] = [];

fn file(text: &str) -> Result<Loaded, ConfigErrors> {
    Config::load(Some(("f.toml", text)), NO_ENV, &[])
}

fn env(pairs: &[(&str, &str)]) -> Result<Loaded, ConfigErrors> {
    Config::load(None, pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())), &[])
}

fn flag(path: &str, value: &str) -> Result<Loaded, ConfigErrors> {
    Config::load(None, NO_ENV, &[(path, value.to_owned())])
}

fn told(result: Result<Loaded, ConfigErrors>, expect: Expect) {
    expect.assert_eq(&result.unwrap_err().to_string());
}

/// A file and its errors.
fn check(text: &str, expect: Expect) {
    told(file(text), expect);
}

#[test]
fn ker_35_ker_36_nothing_configured_is_the_default() {
    let loaded = Config::load(None, NO_ENV, &[]).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.config.server.listen.to_string(), "127.0.0.1:7400");
    assert_eq!(loaded.config.data.dir, std::path::Path::new("./fastness-data"));
    assert_eq!(loaded.config.store.engine, Engine::Sqlite);
    assert_eq!(loaded.config.limits.body, base::limits::BODY_MAX);
    assert_eq!(loaded.config.requests.kept, Duration::from_secs(86_400));
    assert_eq!(loaded.config.server.drain, Duration::from_secs(10));
    assert!(loaded.sources.iter().all(|(_, source)| *source == Source::Default));
}

#[test]
fn ker_36_flag_covers_environment_covers_file() {
    let text = "[limits]\npage = 1\nbody = \"2 KiB\"\n\n[log]\nlevel = \"warn\"\n";
    let pairs = [("FASTNESS_LIMITS__PAGE", "2"), ("FASTNESS_LOG__LEVEL", "debug"), ("HOME", "/root")];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let loaded = Config::load(Some(("f.toml", text)), pairs, &[("limits.page", "3".into())]).unwrap();
    let (config, source) = (&loaded.config, |path| loaded.sources.of(path).unwrap().to_string());
    assert_eq!((config.limits.page, source("limits.page").as_str()), (3, "flag limits.page"));
    assert_eq!((config.log.level.as_str(), source("log.level").as_str()), ("debug", "environment FASTNESS_LOG__LEVEL"));
    assert_eq!((config.limits.body, source("limits.body").as_str()), (2_048, "f.toml:3"));
    assert_eq!(source("log.format"), "default");
    assert_eq!(loaded.sources.of("log.colour"), None);
}

#[test]
fn ker_36_unknown_keys_name_the_nearest_and_their_line() {
    check(
        "listen = 1\n\n[sever]\nlisten = 2\n[server]\nlisten.port = 3\ndrian = \"1s\"\n",
        expect![[r#"
            4 errors in the configuration
              f.toml:1: unknown key `listen`; the nearest is `server.listen`
              f.toml:4: unknown key `sever.listen`; the nearest is `server.listen`
              f.toml:6: server.listen cannot be `{…}`: it takes an IP address and a port, such as 127.0.0.1:7400 or [::1]:7400
              f.toml:7: unknown key `server.drian`; the nearest is `server.drain`"#]],
    );
}

#[test]
fn ker_36_sections_are_not_keys_and_keys_are_not_sections() {
    check(
        "log = 5\n\"server.listen\" = 6\n[lgo]\n[limits]\n\"a.b\" = 7\n[[store]]\nurl = \"x\"\n",
        expect![[r#"
            5 errors in the configuration
              f.toml:1: log is a section: its keys stand below [log]
              f.toml:2: unknown key `"server.listen"`; the nearest is `server.listen`
              f.toml:3: unknown section `[lgo]`; the nearest is [log]
              f.toml:5: unknown key `limits."a.b"`; the nearest is `limits.page`
              f.toml:6: store is a section: its keys stand below [store]"#]],
    );
}

#[test]
fn ker_36_unknown_variables_name_the_nearest() {
    let result = env(&[("FASTNESS_SERVER__LISTN", "x"), ("FASTNESS_STORE_URL", "x"), ("FASTNESS_log__level", "info")]);
    told(
        result,
        expect![[r#"
        3 errors in the configuration
          environment FASTNESS_SERVER__LISTN: unknown variable; the nearest is FASTNESS_SERVER__LISTEN
          environment FASTNESS_STORE_URL: unknown variable; the nearest is FASTNESS_STORE__URL
          environment FASTNESS_log__level: unknown variable; the nearest is FASTNESS_LOG__LEVEL"#]],
    );
}

#[test]
fn ker_36_other_variables_are_not_keys() {
    let others = [("FASTNESS_ADMIN_KEY", "k"), ("FASTNESS_PORT_7400_TCP", "t"), ("SERVER__LISTEN", "x"), ("", "")];
    let loaded = env(&others).unwrap();
    assert_eq!((loaded.config, loaded.warnings), (Config::default(), vec![]));
}

#[test]
fn ker_36_variables_that_nobody_reads_are_told_and_keep_nobody_from_starting() {
    let loaded =
        env(&[("FASTNESS_LISTN", "127.0.0.1:8080"), ("FASTNESS_PORT", "8080"), ("FASTNESS_KEY", "k")]).unwrap();
    let told: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "environment FASTNESS_LISTN: nobody reads this variable; the nearest is FASTNESS_SERVER__LISTEN",
            "environment FASTNESS_PORT: nobody reads this variable; the nearest is FASTNESS_SERVER__LISTEN"
        ]
    );
    assert_eq!(loaded.config, Config::default());
}

#[test]
fn ker_36_unknown_flags_name_the_nearest() {
    told(
        flag("data.dirr", "x"),
        expect![[r#"
        1 error in the configuration
          flag data.dirr: unknown key `data.dirr`; the nearest is `data.dir`"#]],
    );
}

#[test]
fn ker_36_bad_values_of_each_kind_show_value_and_limit() {
    check(
        r#"
[server]
listen = "localhost:7400"
allow_plain_http = "true"
drain = "11m"
connections_max = "10"
requests_max = -1
header_timeout = 10
[data]
dir = ""
[store]
engine = "oracle"
schema_prefix = "pg_"
workers = 1.5
cache = "64 MB"
wal_max = 1
queue_max = 99999999999999999999999999999999999999999999
[namespaces]
admin = "Z"
[log]
level = "a\nb"
format = ["text"]
"#,
        expect![[r#"
            16 errors in the configuration
              f.toml:3: server.listen cannot be `"localhost:7400"`: it takes an IP address and a port, such as 127.0.0.1:7400 or [::1]:7400
              f.toml:4: server.allow_plain_http cannot be `"true"`: it takes true or false; write it without quotes
              f.toml:5: server.drain cannot be `"11m"`: it takes a duration from 0ms to 10m, written as a number and ms, s, m or h
              f.toml:6: server.connections_max cannot be `"10"`: it takes a whole number from 1 to 1_000_000 connections; write it without quotes
              f.toml:7: server.requests_max cannot be `-1`: it takes a whole number from 1 to 1_000_000 requests
              f.toml:8: server.header_timeout cannot be `10`: it takes a duration from 10ms to 5m, written as a number and ms, s, m or h; write it in quotes
              f.toml:10: data.dir cannot be `""`: it takes a path of 1 to 4096 bytes
              f.toml:12: store.engine cannot be `"oracle"`: it takes sqlite or postgres
              f.toml:13: store.schema_prefix cannot be `"pg_"`: it takes 1 to 32 of a-z, 0-9 and _, not beginning with a digit or pg_
              f.toml:14: store.workers cannot be `1.5`: it takes a whole number from 1 to 256 connections
              f.toml:15: store.cache cannot be `"64 MB"`: it takes a size from 1 MiB to 64 GiB, written as a number and B, KiB, MiB, GiB or TiB
              f.toml:16: store.wal_max cannot be `1`: it takes a size from 4 MiB to 16 GiB, written as a number and B, KiB, MiB, GiB or TiB
              f.toml:17: store.queue_max cannot be `99999999999999999999999999999999999999999999`: it takes a whole number from 1 to 1_000_000 operations
              f.toml:19: namespaces.admin cannot be `"Z"`: it takes 1 to 16 of a-z and 0-9
              f.toml:21: log.level cannot be `"a\nb"`: it takes off, error, warn, info, debug or trace, or such levels by module: info,kernel=debug
              f.toml:22: log.format cannot be `["text"]`: it takes text or json"#]],
    );
}

#[test]
fn ker_36_bad_values_of_the_environment_and_of_flags() {
    let result = env(&[("FASTNESS_LIMITS__PAGE", "4_001"), ("FASTNESS_LIMITS__BODY", ""), ("FASTNESS_DATA__DIR", "")]);
    told(
        result,
        expect![[r#"
        3 errors in the configuration
          environment FASTNESS_LIMITS__PAGE: limits.page cannot be `4_001`: it takes a whole number from 1 to 4000 items
          environment FASTNESS_LIMITS__BODY: limits.body cannot be ``: it takes a size from 1 KiB to 64 MiB, written as a number and B, KiB, MiB, GiB or TiB
          environment FASTNESS_DATA__DIR: data.dir cannot be ``: it takes a path of 1 to 4096 bytes"#]],
    );
    let result = flag("server.allow_plain_http", "yes");
    told(
        result,
        expect![[r#"
        1 error in the configuration
          flag server.allow_plain_http: server.allow_plain_http cannot be `yes`: it takes true or false"#]],
    );
}

#[test]
fn ker_36_all_errors_of_all_layers_come_at_once() {
    let pairs = [("FASTNESS_LOG__FORMAT".to_owned(), "xml".to_owned())];
    let error = Config::load(Some(("f.toml", "[limits]\npage = 0\n")), pairs, &[("a.b", "c".into())]).unwrap_err();
    let places: Vec<_> = error.0.iter().map(|error| error.at.as_ref().unwrap().to_string()).collect();
    assert_eq!(places, ["f.toml:2", "environment FASTNESS_LOG__FORMAT", "flag a.b"]);
}

#[test]
fn ker_36_a_covered_mistake_is_still_a_mistake() {
    let flags = [("limits.page", "5".to_owned())];
    let error = Config::load(Some(("f.toml", "limits.page = 0")), NO_ENV, &flags).unwrap_err();
    assert_eq!(error.0.len(), 1);
}

#[test]
fn ker_36_syntax_errors_have_lines_and_no_text_of_the_file() {
    let error = file("[store]\nurl = \"postgres://me:hunter2@h/d\nworkers = = 3\n").unwrap_err().to_string();
    assert!(error.contains("f.toml:2: ") && error.contains("f.toml:3: ") && !error.contains("hunter2"), "{error}");
    check(
        "[log]\nlevel = \"info\"\nlevel = \"warn\"\n",
        expect![[r#"
        1 error in the configuration
          f.toml:3: duplicate key"#]],
    );
}

#[test]
fn ker_33_ker_36_rules_between_keys() {
    let text = "[server]\nlisten = \"0.0.0.0:80\"\nrequests_max = 100\n[store]\nengine = \"postgres\"\n";
    check(
        text,
        expect![[r#"
            3 errors in the configuration
              beyond loopback there must be TLS, or plain HTTP must be allowed: server.listen is `0.0.0.0:80` (f.toml:2), server.tls_certificate is not set (default), server.allow_plain_http is `false` (default)
              one namespace may not have more requests in flight than all together: server.namespace_requests_max is `2048` (default), server.requests_max is `100` (f.toml:3)
              the engine postgres needs a URL: store.engine is `postgres` (f.toml:5), store.url is not set (default)"#]],
    );
    let text = "server = { listen = \"0.0.0.0:80\", allow_plain_http = true }";
    assert!(file(text).unwrap().config.server.allow_plain_http);
    assert!(flag("server.listen", "[::1]:0").is_ok());
    let text = "server = { listen = \"0.0.0.0:443\", tls_certificate = \"c.pem\", tls_key = \"k.pem\" }";
    assert_eq!(file(text).unwrap().config.server.tls_key, Some("k.pem".into()));
    check(
        "server.tls_key = \"k.pem\"\nmail.url = \"smtp://u:secret@h\"",
        expect![[r#"
            2 errors in the configuration
              a certificate and its key need each other: server.tls_certificate is not set (default), server.tls_key is `k.pem` (f.toml:1)
              mail needs a URL that begins with smtp:// or smtps:// (user and password, or neither), and a sender: mail.url is set (f.toml:2), mail.from is not set (default)"#]],
    );
}

#[test]
fn exc_8_ker_36_several_servers_have_neither_a_folder_nor_a_disk_of_blobs_in_common() {
    let bodies = |bodies: &str, place: &str, nodes: &str| {
        let s3 = "url = \"https://s3.example\", bucket = \"b\", access_key = \"k\", secret_key = \"s\"";
        let store = format!("store = {{ engine = \"postgres\", url = \"postgres://h/d\", nodes = \"{nodes}\" }}");
        file(&format!("exchange.bodies = \"{bodies}\"\nblobs = {{ place = \"{place}\", {s3} }}\n{store}"))
    };
    for (wanted, place, nodes) in
        [("blobs", "s3", "several"), ("blobs", "local", "one"), ("store", "local", "several"), ("folders", "s3", "one")]
    {
        bodies(wanted, place, nodes).unwrap_or_else(|errors| panic!("{wanted} {place} {nodes}: {errors}"));
    }
    for (wanted, place) in [("blobs", "local"), ("folders", "s3")] {
        assert_eq!(bodies(wanted, place, "several").unwrap_err().0.len(), 1, "{wanted} {place}");
    }
}

#[test]
fn ker_27_ker_36_mail_needs_a_server_and_a_sender() {
    let mail = |url: &str, from: &str| file(&format!("mail = {{ url = \"{url}\", from = \"{from}\" }}"));
    assert!(mail("smtps://u:p@h", "Fastness <a@example.org>").is_ok());
    assert!(mail("", "").is_ok());
    for (url, from) in [("http://h", "a@example.org"), ("smtp://u@h", "a@example.org"), ("smtp://h", "nobody")] {
        assert_eq!(mail(url, from).unwrap_err().0.len(), 1, "{url} {from}");
    }
}

#[test]
fn ker_36_rules_are_silent_about_keys_that_are_broken_already() {
    let text = "server.listen = \"0.0.0.0:80\"\nserver.allow_plain_http = \"true\"";
    assert_eq!(file(text).unwrap_err().0.len(), 1);
    let error = Config::load(Some(("f.toml", "= 1")), NO_ENV, &[("store.engine", "postgres".into())]).unwrap_err();
    assert_eq!(error.0.len(), 1, "{error}");
}

#[test]
fn ker_36_rules_name_keys_that_exist() {
    let known = |path: &&&str| KEYS.iter().any(|key| key.path == **path);
    assert!(RULES.iter().all(|rule| !rule.keys.is_empty() && rule.keys.iter().all(|path| known(&path))));
}

#[test]
fn ker_36_each_word_of_each_key_is_taken() {
    for key in KEYS {
        let Kind::OneOf(words) = key.kind else { continue };
        for word in words {
            let needed = [
                ("store.url", "postgres://h/d"),
                ("blobs.url", "https://h"),
                ("blobs.bucket", "b"),
                ("blobs.access_key", "k"),
                ("blobs.secret_key", "s"),
            ];
            let flags: Vec<_> =
                [(key.path, *word)].into_iter().chain(needed).map(|(path, text)| (path, text.to_owned())).collect();
            let loaded = Config::load(None, NO_ENV, &flags).unwrap();
            assert!(show(&loaded).contains(&format!("{} = \"{word}\" # flag", key.name())), "{}: {word}", key.path);
        }
    }
}

/// Least and most of a key that counts, and how such an amount is written.
fn ends(key: &Key) -> Option<(u64, u64, &'static str)> {
    match key.kind {
        Kind::Integer { min, max, .. } => Some((min, max, "")),
        Kind::Size { min, max } => Some((min, max, " B")),
        Kind::Duration { min_ms, max_ms } => Some((min_ms, max_ms, "ms")),
        Kind::Address
        | Kind::Path
        | Kind::OptionalPath
        | Kind::Text(_)
        | Kind::Secret
        | Kind::Truth
        | Kind::OneOf(_) => None,
    }
}

#[test]
fn ker_36_limits_are_taken_and_what_lies_beyond_is_not() {
    for (key, (min, max, unit)) in KEYS.iter().filter_map(|key| Some((key, ends(key)?))) {
        let is_taken = |amount: u64| {
            // Wide apart, so that no rule between keys is broken.
            let wide = [("server.namespace_requests_max", "1"), ("server.requests_max", "1_000_000")];
            let amount = format!("{amount}{unit}");
            let flags = wide.into_iter().chain([(key.path, amount.as_str())]);
            Config::load(None, NO_ENV, &flags.map(|(path, value)| (path, value.to_owned())).collect::<Vec<_>>()).is_ok()
        };
        assert!(is_taken(min) && is_taken(max) && !is_taken(max + 1), "{}", key.path);
        assert!(min == 0 || !is_taken(min - 1), "{}", key.path);
    }
}

#[test]
fn ker_36_secrets_are_hidden_everywhere() {
    let secret = "postgres://me:hunter2@host/db";
    let loaded = env(&[("FASTNESS_STORE__URL", secret)]).unwrap();
    assert_eq!(loaded.config.store.url.as_ref().unwrap().expose(), secret);
    let shown = show(&loaded);
    assert!(shown.contains("# url = (hidden) # environment FASTNESS_STORE__URL\n"), "{shown}");
    let error = env(&[("FASTNESS_STORE__URL", "hunter2\n"), ("FASTNESS_STORE__ULR", "hunter2")]).unwrap_err();
    let rule = Config::load(None, NO_ENV, &[("store.url", secret.into()), ("server.listen", "1.2.3.4:5".into())]);
    let page = format!("{:?}", super::shown(&loaded));
    assert!(page.contains("store.url\", value: None, source: Environment(\"FASTNESS_STORE__URL\")"), "{page}");
    for text in [shown, page, format!("{loaded:?}"), format!("{error}{error:?}"), format!("{}", rule.unwrap_err())] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    told(
        Err(error),
        expect![[r#"
        2 errors in the configuration
          environment FASTNESS_STORE__URL: store.url cannot be what was given (hidden): it takes text of at most 4096 bytes on one line; empty means not set
          environment FASTNESS_STORE__ULR: unknown variable; the nearest is FASTNESS_STORE__URL"#]],
    );
}

#[test]
fn ker_36_what_show_prints_loads_again() {
    let text = r#"
[data]
dir = 'C:\data "x" # y'
[limits]
body = 1025
page = 4_000
[server]
drain = "1500ms"
listen = "[::1]:0"
[store]
reserve = "3 GiB"
[log]
level = "info,[request{ns=\"a\"}]=debug"
"#;
    let loaded = Config::load(Some(("odd\nname.toml", text)), NO_ENV, &[("log.format", "json".into())]).unwrap();
    assert_eq!(file(&show(&loaded)).unwrap().config, loaded.config);
    let secret = [("FASTNESS_STORE__URL".to_owned(), "postgres://h/d".to_owned())];
    let flags = [("store.engine", "postgres".to_owned())];
    let loaded = Config::load(None, secret.clone(), &flags).unwrap();
    assert_eq!(Config::load(Some(("again", &show(&loaded))), secret, &[]).unwrap().config, loaded.config);
}

#[test]
fn ker_36_show_names_every_key_with_its_source() {
    let shown = show(&flag("limits.page", "10").unwrap());
    assert_eq!(shown.lines().filter(|line| line.contains(" = ") && line.contains(" # ")).count(), KEYS.len());
    assert!(shown.contains("\n[limits]\nbody = \"1 MiB\" # default\npage = 10 # flag limits.page\n"), "{shown}");
}

#[test]
fn ker_36_the_example_is_the_default_with_and_without_its_marks() {
    let example = example();
    assert_eq!(file(&example).unwrap().config, Config::default());
    let bare: String = example
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned() + "\n")
        .collect();
    let loaded = file(&bare).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.sources.iter().all(|(_, source)| *source != Source::Default));
    assert!(example.lines().all(|line| line.chars().count() <= 100), "{example}");
}

#[test]
fn ker_36_the_reference_in_docs_is_the_one_we_print() {
    let stored = include_str!("../../../../docs/reference/configuration.md");
    assert!(stored == reference(), "renew it: fastness config reference > docs/reference/configuration.md");
}

#[test]
fn ker_36_every_key_is_documented_in_its_section() {
    for key in KEYS {
        assert!(SECTIONS.iter().any(|section| section.name == key.section()), "{}", key.path);
        assert!(key.doc.ends_with('.') && !key.doc.contains("  "), "{}", key.path);
        assert_eq!(KEYS.iter().filter(|other| other.env() == key.env()).count(), 1, "{}", key.path);
    }
}

/// Of `examples/config`: the file, and what the environment brings.
const EXAMPLES: [(&str, &str, &str); 3] = [
    ("one-node.toml", include_str!("../../../../examples/config/one-node.toml"), ""),
    (
        "two-nodes.toml",
        include_str!("../../../../examples/config/two-nodes.toml"),
        include_str!("../../../../examples/config/two-nodes.env"),
    ),
    (
        "full.toml",
        include_str!("../../../../examples/config/full.toml"),
        include_str!("../../../../examples/config/full.env"),
    ),
];

/// The lines of a file that a shell or systemd would read.
fn variables(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('=').unwrap()).map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn ker_36_the_configurations_of_the_examples_are_good_and_keep_secrets_out_of_files() {
    for (name, text, environment) in EXAMPLES {
        let variables = variables(environment);
        let given = variables.len();
        let loaded =
            Config::load(Some((name, text)), variables, &[]).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let from_environment = |source: &Source| matches!(source, Source::Environment(_));
        assert_eq!(loaded.sources.iter().filter(|(_, source)| from_environment(source)).count(), given, "{name}");
        for (key, source) in loaded.sources.iter().filter(|(key, _)| key.is_secret()) {
            assert!(*source == Source::Default || from_environment(source), "{name}: {} stands in the file", key.path);
        }
        assert!(loaded.sources.iter().any(|(_, source)| matches!(source, Source::File { .. })), "{name}");
    }
}
