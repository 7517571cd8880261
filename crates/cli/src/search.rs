//! `fastness search`: finds anything by its id or the beginning of its name.

use clap::{Arg, ArgMatches, Command};
use client::Request;
use serde_json::Value;

use crate::failure::Done;
use crate::flags::Common;
use crate::output::text;
use crate::page::{List, items_of};
use crate::program::common;
use crate::session::Session;

pub(crate) const NAME: &str = "search";

const EXAMPLES: &str = "\
Examples:
  fastness search order-7
  fastness search phone --kind device
  fastness search 01KA2B3C4D5E6F7G8H9JKMNPQR --json";

const FOUND: List<'_> = List {
    what: "",
    id: "/id",
    columns: &[text("KIND", "/kind"), text("ID", "/id"), text("NAME", "/name"), text("ABOUT", "/about")],
};

pub(crate) fn command() -> Command {
    let text = Arg::new("text").value_name("TEXT").required(true).help("An id, or the beginning of an id or a name");
    let kind = Arg::new("kind").long("kind").value_name("KIND").help("Only of this kind: device, task, document …");
    let command = Command::new(NAME).about("Find anything by its id or the beginning of its name").arg(text).arg(kind);
    Common::add_to(command).after_help(EXAMPLES)
}

pub(crate) async fn run(matches: &ArgMatches) -> Done {
    let session = Session::open(&common(matches)?)?;
    let given = |name: &str| matches.get_one::<String>(name).cloned();
    let request = Request::get(&["search"]).query("q", given("text").unwrap_or_default());
    let request = given("kind").into_iter().fold(request, |request, kind| request.query("kind", kind));
    let found = session.get(request).await?;
    let what = format!("things of that id or name in namespace `{}`; another one: --namespace NAME", session.namespace);
    List { what: &what, ..FOUND }.show(&session, items_of(&found)?)?;
    let more: Vec<_> = found["more"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !more.is_empty() {
        session.out.remark(&format!("there is more of: {}", more.join(", ")));
    }
    Ok(())
}
