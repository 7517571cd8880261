//! Parts that are started and killed by control files of `cargo xtask services`.

use std::path::PathBuf;
use std::process::Command;

/// One of them.
#[derive(Debug, Clone)]
pub struct Part {
    folder: PathBuf,
}

impl Part {
    /// A part that is this test's own.
    pub fn own(name: &str) -> Self {
        Self { folder: PathBuf::from(variable("FASTNESS_TEST_FULL_SET")).join(name) }
    }

    /// The PostgreSQL server that is stopped.
    pub fn postgres() -> Self {
        let control = PathBuf::from(variable("FASTNESS_TEST_POSTGRES_FAULTS_CTL"));
        Self { folder: control.parent().unwrap().to_owned() }
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        std::fs::read_to_string(self.folder.join("url")).unwrap()
    }

    /// What a run before this one left, and a first broker alone would wait for the others.
    pub fn forget(&self) {
        drop(std::fs::remove_dir_all(self.folder.join("db")));
    }

    /// `start`, `kill` or `begin`; done when this returns.
    pub fn control(&self, word: &str) {
        let told = Command::new(self.folder.join("control")).arg(word).status();
        assert!(told.unwrap().success(), "{}: {word}", self.folder.display());
    }
}

/// Told by `cargo xtask services`.
pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run this by `cargo xtask services run -- …`"))
}
