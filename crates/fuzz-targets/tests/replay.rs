//! Every file of the corpus, once, and some hundred inputs that differ a little from them: what fuzzing found stays found, without a fuzzer.
//!
//! `FASTNESS_FUZZ_INPUTS=1000000 FASTNESS_FUZZ_SEED=7 cargo test -p fuzz-targets names` tries more of them, and others.

use std::fs;
use std::path::PathBuf;

use fuzz_targets::TARGETS;
use fuzz_targets::mutate::{Chance, mutated};

fn fuzz() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn files(target: &str) -> Vec<PathBuf> {
    let folder = fuzz().join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn variable(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |value| value.parse().expect("a number"))
}

/// What the next input is, for whoever looks at one that ended the process.
fn attempt(target: &str, bytes: &[u8]) {
    let tried = std::panic::catch_unwind(|| fuzz_targets::run(target, bytes));
    assert!(tried.is_ok(), "{target} fails with {:?}, that is {bytes:?}", String::from_utf8_lossy(bytes));
}

fn replay(target: &str) {
    let files = files(target);
    assert!(files.len() >= 2, "a corpus has something in it");
    let corpus: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("a file of the corpus")).collect();
    corpus.iter().for_each(|bytes| attempt(target, bytes));
    // Some take a while for each.
    let usual = if ["routes", "ignore"].contains(&target) { 200 } else { 2_000 };
    let inputs = variable("FASTNESS_FUZZ_INPUTS", usual);
    let mut chance = Chance::new(variable("FASTNESS_FUZZ_SEED", 20_261_118));
    (0..inputs).filter_map(|_| mutated(&corpus, &mut chance)).for_each(|bytes| attempt(target, &bytes));
}

/// One test for each, so that a finding is named by its target.
macro_rules! replay {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*

        const REPLAYED: &[&str] = &[$(stringify!($name)),*];
    };
}

replay! {
    archive backup chunks clickhouse commands config connector cron cursors exchange_file grpc headers http1 ids ignore imports message names outbound
    redis replica routes rows signal signature stamps synxpo
}

#[test]
fn every_target_has_a_shell_and_is_replayed() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(names, REPLAYED);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in names {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "no shell for {name}");
        let shell = fs::read_to_string(fuzz().join("shells").join(format!("{name}.rs"))).unwrap();
        assert!(shell.contains(&format!("fuzz_targets::run(\"{name}\", ")), "{name}");
    }
}
