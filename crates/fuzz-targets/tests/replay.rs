//! Every file of the corpus, once: what fuzzing found stays found, without a fuzzer.

use std::fs;
use std::path::PathBuf;

use fuzz_targets::TARGETS;

fn fuzz() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn files(target: &str) -> Vec<PathBuf> {
    let folder = fuzz().join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// One test for each, so that a finding is named by its target.
macro_rules! replay {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let files = files(stringify!($name));
                assert!(files.len() >= 2, "a corpus has something in it");
                for file in files {
                    eprintln!("{}", file.display());
                    fuzz_targets::run(stringify!($name), &fs::read(&file).unwrap());
                }
            }
        )*

        const REPLAYED: &[&str] = &[$(stringify!($name)),*];
    };
}

replay! {
    archive backup chunks config cron cursors exchange_file grpc headers http1 ids ignore imports message names outbound redis replica routes rows
    signal signature stamps synxpo
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
