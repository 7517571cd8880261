//! The console while a store is away, and while the server is: nothing is lost, and it comes back by itself.

use anyhow::Result;
use browser::Sight;
use browser::eyes::heading;
use kill::postgres::{Database, SHARED};
use kill::proxy::Proxy;
use serde_json::json;

use crate::site::Site;

/// Where nobody listens.
const NOWHERE: &str = "127.0.0.1:9";

#[test]
fn con_2_a_store_that_is_away_is_told_and_comes_back_postgres() -> Result<()> {
    let site = Site::start()?;
    let database = Database::new(SHARED, "console")?;
    let proxy = Proxy::start(database.address()?)?;
    let url = database.through(proxy.address())?.url;
    site.make("/v1/z/namespaces", &json!({ "name": "shop", "engine": "postgres", "url": url }))?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/z/")?;
    eyes.wait_for("a[href='/console/shop/']")?;
    proxy.point_to(NOWHERE.parse()?);
    proxy.cut_all();
    eyes.wait_for_text("The store of shop cannot be read now.")?;
    eyes.goto("/console/shop/tasks")?;
    eyes.wait_for(heading("Not available right now"))?;
    let found = eyes.judge()?.into_iter().filter(|fault| !fault.contains("the server responded with a status of 503"));
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
    proxy.point_to(database.address()?);
    // The page tries again by itself.
    eyes.wait_for(heading("Tasks"))
}
