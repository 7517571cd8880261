//! Manual pages from what `--help` says, so that they cannot be out of date.
//!
//! The form of the help is that of clap: a sentence, `Usage:`, then headings at the first column with indented lines below.

/// What a page says besides the help.
pub(super) struct About<'a> {
    /// `fastness` or `fastness-serve`.
    pub(super) name: &'a str,
    pub(super) version: &'a str,
    /// Pages to look at next.
    pub(super) others: &'a [String],
}

const FILES: &str = "\
.SH FILES
.TP
.I /etc/fastness/fastness.toml
The configuration; all keys with their defaults.
.TP
.I /etc/fastness/environment
Secrets as FASTNESS_SECTION__KEY=value, a line each; to be readable by root alone.
.TP
.I /var/lib/fastness
The data.
.TP
.I /var/lib/fastness-backups
Scheduled backups, if no other place is configured.
.TP
.I /usr/share/doc/fastness
All pages that messages name, such as docs/operations.md.
";

pub(super) fn page(help: &str, about: &About<'_>) -> String {
    let (first, rest) = help.split_once("\n\nUsage: ").unwrap_or((help, ""));
    let sentence = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let (usage, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut page = format!(".TH {} 1 \"\" \"fastness {}\" \"Fastness\"\n", about.name.to_uppercase(), about.version);
    page += &format!(".SH NAME\n{} \\- {}\n", escape(about.name), escape(&short(&sentence)));
    page += &format!(".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n{}.\n", escape(usage), escape(&sentence));
    page += &body(rest);
    if about.name == "fastness" {
        page += FILES;
    }
    page + &see_also(about)
}

/// The names of the commands that a help lists.
pub(super) fn commands(help: &str) -> Vec<String> {
    let listed = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// `man -f` has room for little.
fn short(sentence: &str) -> String {
    sentence.split([':', ';']).next().unwrap_or_default().to_owned()
}

fn body(help: &str) -> String {
    let mut page = String::new();
    let mut lines = help.lines().peekable();
    let mut listed = false;
    while let Some(line) = lines.next() {
        let heading = line.strip_suffix(':').filter(|name| !name.contains(' ') && !line.starts_with(' '));
        if let Some(name) = heading.or_else(|| line.strip_suffix(':').filter(|name| *name == "Exit codes")) {
            listed = ["Commands", "Options", "Arguments", "Exit codes"].contains(&name);
            // Manual pages have had this one for fifty years.
            page += &format!(".SH {}\n", name.replace("Exit codes", "Exit status").to_uppercase());
        } else if !line.starts_with(' ') {
            page += &if line.is_empty() { ".PP\n".to_owned() } else { format!("{}\n", escape(line)) };
        } else if listed {
            let mut item = line.trim().to_owned();
            while let Some(more) =
                lines.next_if(|line| line.starts_with("     ") && !line.trim_start().starts_with('-'))
            {
                // A column's distance parts a name from its text only on the first line.
                item += if item.contains("  ") { " " } else { "  " };
                item += more.trim();
            }
            let (name, text) = item.split_once("  ").unwrap_or((&item, ""));
            page += &format!(".TP\n.B {}\n{}\n", escape(name), escape(text.trim()));
        } else {
            page += &format!(".nf\n{}\n.fi\n", escape(line));
        }
    }
    page.replace(".fi\n.nf\n", "")
}

fn see_also(about: &About<'_>) -> String {
    let names: Vec<String> = about.others.iter().map(|name| format!(".BR {} (1)", escape(name))).collect();
    format!(".SH SEE ALSO\n{}\n", names.join(",\n"))
}

/// What roff would take for its own.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "One server: and more\nof it\n\nUsage: fastness <COMMAND>\n\nCommands:\n  serve   Run the server\n  check   Verify\n          \
                        everything\n\nOptions:\n  -h, --help  Print help\n      --data <DIR>\n          Where\n\nExamples:\n  fastness serve\n  .x\n\nExit codes:\n  0    done\n  134  (SIGABRT) stuck\n";

    fn about<'a>(others: &'a [String]) -> About<'a> {
        About { name: "fastness", version: "1.2.3", others }
    }

    #[test]
    fn a_page_has_all_parts_of_the_help() {
        let page = page(HELP, &about(&["fastness-serve".into()]));
        for part in [
            ".TH FASTNESS 1 \"\" \"fastness 1.2.3\" \"Fastness\"\n",
            ".SH NAME\nfastness \\- One server\n",
            ".SH SYNOPSIS\n.B fastness <COMMAND>\n.SH DESCRIPTION\nOne server: and more of it.\n",
            ".SH COMMANDS\n.TP\n.B serve\nRun the server\n.TP\n.B check\nVerify everything\n",
            ".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nPrint help\n.TP\n.B \\-\\-data <DIR>\nWhere\n",
            ".SH EXAMPLES\n.nf\n  fastness serve\n  .x\n.fi\n.PP\n.SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 134\n(SIGABRT) stuck\n",
            ".I /etc/fastness/fastness.toml\n",
            ".SH SEE ALSO\n.BR fastness\\-serve (1)\n",
        ] {
            assert!(page.contains(part), "{part}\nis not in\n{page}");
        }
    }

    #[test]
    fn commands_are_those_of_the_list() {
        assert_eq!(commands(HELP), ["serve", "check"]);
        assert_eq!(commands("Nothing\n\nUsage: x\n"), Vec::<String>::new());
    }

    #[test]
    fn what_roff_takes_for_its_own_is_escaped() {
        assert_eq!(escape(".a\\b-c"), "\\&.a\\eb\\-c");
    }
}
