//! Two copies of documents: a laptop that is online and a phone that is not. Both change; what collides is refused, merged, and level in the end.

use std::collections::BTreeMap;

use client::{Change, Client, ClientError, Expect, Replica, Request};
use replica::Content;
use serde_json::{Value, json};

use super::narrator::Narrator;
use super::stage::Stage;
use crate::failure::{Done, Failure};

const CLASS: &str = "Contact";
const CONTACTS: usize = 12;
/// Those that the phone changes while it is offline, and those that the laptop changes meanwhile.
const PHONE: std::ops::Range<usize> = 0..6;
const LAPTOP: std::ops::Range<usize> = 3..9;

/// The contents of a document: what is in it, by item and key.
type Contents = BTreeMap<(String, String), Value>;

pub(super) async fn play(stage: &Stage, narrator: &mut Narrator) -> Done {
    let session = &stage.session;
    let client = Client::new(session.server(), &session.namespace, session.access_key()?).map_err(Failure::here)?;
    let (phone, laptop) = (stage.folder.join("phone.db"), stage.folder.join("laptop.db"));
    let (mut phone, mut laptop) =
        (Replica::open(phone).map_err(Failure::here)?, Replica::open(laptop).map_err(Failure::here)?);
    // First: the page that is named next is one of the class.
    make_class(stage).await?;
    let what =
        format!("{CONTACTS} contacts are made; a phone and a laptop take copies of them into files of their own.");
    narrator
        .step(
            &what,
            "A copy says what it holds, and is answered with the least that brings it level.",
            "documents/Contact",
        )
        .await?;
    make(&client).await?;
    for number in 0..CONTACTS {
        phone.follow(CLASS, &id(number), None).map_err(Failure::here)?;
        laptop.follow(CLASS, &id(number), None).map_err(Failure::here)?;
    }
    let taken = sync(&client, &mut phone).await?;
    sync(&client, &mut laptop).await?;
    narrator.note(&format!("{taken} documents came to each"))?;
    let drafts = change_both(&client, &phone, &mut laptop, narrator).await?;
    let refused = come_back(&client, &mut phone, drafts, narrator).await?;
    sync(&client, &mut laptop).await?;
    verify(&client, (&phone, &laptop), refused, narrator).await
}

fn id(number: usize) -> String {
    format!("contact-{:02}", number + 1)
}

async fn make_class(stage: &Stage) -> Done {
    let class = json!({ "class": CLASS, "items": {
        "Card": { "singleton": true, "index": { "name": "string" } }, "Tel": {}, "Note": {} } });
    stage.session.step(Request::new("POST", &["doc-classes"]).json(&class)).await.map(drop)
}

async fn make(client: &Client) -> Done {
    for number in 0..CONTACTS {
        let change = Change::of(CLASS, &id(number)).expecting(Expect::New);
        let change = change.put("Card", "", json!({ "name": format!("Contact {}", number + 1) }));
        let change = change.put("Tel", "home", json!({ "number": format!("0{number}-1") }));
        let change = change.put("Tel", "old", json!({ "number": format!("0{number}-0") }));
        client.commit(&[change]).await.map_err(Failure::here)?;
    }
    Ok(())
}

async fn sync(client: &Client, replica: &mut Replica) -> Result<usize, Failure> {
    Ok(client.sync(replica).await.map_err(Failure::here)?.taken.changed.len())
}

/// What the phone wants of a contact, on top of the version that it has seen.
fn draft(replica: &Replica, number: usize) -> Result<Change, Failure> {
    let copy = replica.document(CLASS, &id(number)).map_err(Failure::here)?;
    let version = copy.map_or(0, |copy| copy.head.v);
    let change = Change::of(CLASS, &id(number)).expecting(Expect::Version(version));
    Ok(change.put("Tel", "mobile", json!({ "number": format!("0{number}-7") })))
}

async fn change_both(
    client: &Client,
    phone: &Replica,
    laptop: &mut Replica,
    narrator: &mut Narrator,
) -> Result<Vec<(usize, Change)>, Failure> {
    let what =
        format!("The phone is offline. Its user changes {} contacts, in the copy that the phone has.", PHONE.len());
    narrator.step(&what, "Each change remembers the version that it was made from.", "documents/Contact").await?;
    let drafts = PHONE.map(|number| Ok((number, draft(phone, number)?))).collect::<Result<Vec<_>, Failure>>()?;
    let what = format!("Meanwhile the laptop changes {}, and takes an old number out of each.", LAPTOP.len());
    narrator
        .step(&what, "Its own copy is brought level in the very round trip that changes.", "documents/Contact")
        .await?;
    for number in LAPTOP {
        let change = Change::of(CLASS, &id(number)).put("Note", "visit", json!({ "text": "met on Monday" }));
        let change = change.remove("Tel", "old");
        client.commit_synced(&[change], laptop).await.map_err(Failure::here)?;
        narrator.beat().await;
    }
    Ok(drafts)
}

/// The phone brings what it has; what is out of date is refused, read again, and brought on top of what is there now.
async fn come_back(
    client: &Client,
    phone: &mut Replica,
    drafts: Vec<(usize, Change)>,
    narrator: &mut Narrator,
) -> Result<usize, Failure> {
    narrator
        .step(
            "The phone is back, and brings its changes.",
            "Whoever was overtaken is told so, and nothing changes: neither side is overwritten.",
            &format!("documents/Contact/{}", id(PHONE.end - 1)),
        )
        .await?;
    let mut refused = vec![];
    for (number, change) in drafts {
        match client.commit_synced(&[change], phone).await {
            Ok(_) => {}
            Err(ClientError::Api(error)) if error.code == "CVERSION" => refused.push(number),
            Err(error) => return Err(Failure::here(error)),
        }
        narrator.beat().await;
    }
    let taken = sync(client, phone).await?;
    let what = format!(
        "{} are refused (CVERSION). The phone takes what is new ({taken} documents), and brings those again.",
        refused.len()
    );
    narrator
        .step(
            &what,
            "The two changes are of different items, so that both stay.",
            &format!("documents/Contact/{}", id(PHONE.end - 1)),
        )
        .await?;
    for number in &refused {
        let change = draft(phone, *number)?;
        client.commit_synced(&[change], phone).await.map_err(Failure::here)?;
    }
    sync(client, phone).await?;
    Ok(refused.len())
}

/// What a copy holds, without versions.
fn contents(replica: &Replica, number: usize) -> Result<Contents, Failure> {
    let copy = replica.document(CLASS, &id(number)).map_err(Failure::here)?;
    let items = copy.into_iter().flat_map(|copy| copy.items);
    Ok(items.filter_map(|(key, item)| Some(((key.c, key.k), shown(item.content?)))).collect())
}

fn shown(content: Content) -> Value {
    match content {
        Content::Json(json) => json,
        Content::Raw(text) => Value::from(text),
    }
}

async fn reference(client: &Client, number: usize) -> Result<Contents, Failure> {
    let document = client.get(CLASS, &id(number), 0).await.map_err(Failure::here)?;
    let document = document.ok_or_else(|| Failure::here(format!("{} is not there", id(number))))?;
    Ok(document.items.into_iter().map(|item| ((item.key.c, item.key.k), item.j.unwrap_or_default())).collect())
}

async fn verify(
    client: &Client,
    (phone, laptop): (&Replica, &Replica),
    refused: usize,
    narrator: &mut Narrator,
) -> Done {
    narrator.step("What came of it, item by item:", "", "documents/Contact").await?;
    let (mut level, mut merged) = (0, 0);
    for number in 0..CONTACTS {
        let there = reference(client, number).await?;
        level += usize::from(contents(phone, number)? == there && contents(laptop, number)? == there);
        let has = |class: &str, key: &str| there.contains_key(&(class.to_owned(), key.to_owned()));
        let phone_is_in = has("Tel", "mobile") == PHONE.contains(&number);
        let laptop_is_in =
            has("Note", "visit") == LAPTOP.contains(&number) && has("Tel", "old") != LAPTOP.contains(&number);
        merged += usize::from(phone_is_in && laptop_is_in);
    }
    narrator
        .claim(&format!("{level} of {CONTACTS} documents: the phone = the laptop = the server"), level == CONTACTS)?;
    let collisions = PHONE.filter(|number| LAPTOP.contains(number)).count();
    narrator.claim(
        &format!("{refused} of {} changes of the phone were overtaken, refused and merged", PHONE.len()),
        refused == collisions,
    )?;
    narrator
        .claim(&format!("{merged} of {CONTACTS} hold what both sides changed, and nothing else"), merged == CONTACTS)
}
