//! Logging in and out: a key that is kept for later commands.

use std::process::Command;

use crate::kit::{Kit, Ran, ran};

impl Kit {
    /// A command of somebody who has neither key nor server in the environment.
    fn stranger(&self, words: &str) -> Ran {
        let mut command = self.command();
        command.env_remove("FASTNESS_KEY").env_remove("FASTNESS_SERVER").args(words.split_whitespace());
        ran(&mut command, "")
    }
}

#[test]
fn ker_33_a_login_is_a_key_that_ends_with_the_logout() {
    let kit = Kit::start();
    let password = kit.out("admin account create root2 --role admin --namespace z -q");
    let file = kit.file("password", &password);
    let login = format!("login --server {} --account root2 --password-file {}", kit.url(), file.display());
    let nobody = kit.stranger("admin session whoami");
    assert_eq!(nobody.code, 2);
    assert!(nobody.err.starts_with("error: no access key\n  hint: set FASTNESS_KEY"), "{nobody:?}");
    assert_eq!(kit.stranger(&login).out, format!("logged in at {} as root2\n", kit.url()));
    let kept = kit.folder.path().join("config/fastness/logins.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&kept).expect("the login").permissions().mode() & 0o777, 0o600);
    }
    assert!(!std::fs::read_to_string(&kept).expect("the login").contains(password.trim()), "the password is not kept");
    assert_eq!(kit.stranger("tasks queue list").code, 0, "server and key are known now");
    assert_eq!(kit.stranger(&login).code, 0, "again");
    let keys = kit.out("admin key list --namespace z");
    let states: Vec<bool> =
        keys.lines().filter(|line| line.contains("login of root2")).map(|line| line.contains("revoked")).collect();
    assert_eq!(states, [true, false], "the key before is revoked: {keys}");
    let old = std::fs::read_to_string(&kept).expect("the login");
    assert_eq!(kit.stranger("logout").code, 0);
    assert_eq!(kit.stranger("admin session whoami").code, 2);
    std::fs::write(&kept, old).expect("the login");
    let outlived = kit.stranger("admin session whoami");
    let told =
        format!("hint: shown was the key of the login kept in {}; {} does not know it", kept.display(), kit.url());
    assert!(outlived.code == 3 && outlived.err.contains(&told), "{outlived:?}");
    assert!(outlived.err.contains(&format!("log in again: fastness login --server {}", kit.url())), "{outlived:?}");
    assert_eq!(kit.stranger("logout").code, 0, "what the server does not know is forgotten too");
    assert_eq!(kit.out("admin key list --namespace z").matches("revoked").count(), 2);
    assert_eq!(kit.stranger(&format!("logout --server {}", kit.url())).code, 2, "no login there");
}

#[test]
fn ker_33_a_wrong_password_and_an_account_that_makes_no_keys_are_refused() {
    let kit = Kit::start();
    let password = kit.out("admin account create anna --role operator -q");
    let (right, wrong) = (kit.file("right", &password), kit.file("wrong", "no"));
    let login = |file: &std::path::Path| {
        kit.stranger(&format!(
            "login --server {} --account anna --home main --password-file {}",
            kit.url(),
            file.display()
        ))
    };
    let refused = login(&wrong);
    assert_eq!(refused.code, 3);
    let hint = "error: account or password is wrong (SLOGIN)\n  hint: that was account `anna` of namespace `main` (--account, --home)";
    assert!(refused.err.starts_with(hint) && refused.err.contains("--new-password --namespace main"), "{refused:?}");
    let admin = kit.stranger(&format!("login --server {} --password-file {}", kit.url(), wrong.display()));
    assert!(
        admin.err.contains("`fastness admin reset-password` on the server's machine, with the server stopped"),
        "{admin:?}"
    );
    let refused = login(&right);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("(SROLE)\n  hint: only administrators make keys"), "{refused:?}");
    assert_eq!(kit.stranger(&format!("login --server {}", kit.url())).code, 2, "nobody can be asked");
}

#[test]
fn ker_32_what_the_first_start_offers_to_type_makes_a_key() {
    let kit = Kit::start();
    let greeting = &kit.server.greeting;
    let line = |of: &str| greeting.lines().map(str::trim).find(|line| line.contains(of)).expect(of).to_owned();
    let typed = |line: &str, input: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env_remove("FASTNESS_KEY").env_remove("FASTNESS_SERVER");
        ran(shell.env("XDG_CONFIG_HOME", kit.folder.path().join("config")), input)
    };
    let password = line("password  ").replace("password", "");
    // Nobody can be asked here; a person would be.
    let login = typed(&format!("{} --password-file -", line(" login --server")), password.trim());
    assert_eq!(login.code, 0, "{login:?}");
    let made = typed(&format!("{} -q", line(" admin key create")), "");
    assert_eq!(made.code, 0, "{made:?}");
    let mut listed = kit.command();
    listed.env("FASTNESS_KEY", made.out.trim()).args(["tasks", "queue", "list"]);
    assert_eq!(ran(&mut listed, "").code, 0, "the key is one of `main`");
}
