//! A contact's card in its groups follows the contact (DOC-14).

use serde_json::json;

use crate::kit::{Site, at_server, content, done, in_replica, until, until_copied};

#[tokio::test]
async fn doc_14_the_card_in_a_group_follows_the_contact() {
    let site = Site::start();
    let client = site.client();
    done(&client, "contacts.add", json!({"id": "ada", "name": "Ada"})).await;
    for group in ["chess", "math"] {
        done(&client, "groups.create", json!({"id": group, "title": group})).await;
        done(&client, "groups.join", json!({"contact": "ada", "group": group})).await;
    }
    done(&client, "groups.leave", json!({"contact": "ada", "group": "math"})).await;
    let renamed = done(&client, "contacts.rename", json!({"id": "ada", "name": "Lady Lovelace"})).await;
    let group = || at_server(&client, "Group", "chess");
    let group = until(group, |seen| content(seen, "Card", "ada") == json!({"name": "Lady Lovelace"})).await;
    let (version, _, items) = group.expect("it is there");
    let (item_version, vop, _) = items[&replica::ItemKey::new("Card", "ada")];
    assert_eq!((item_version, Some(vop)), (version, renamed.version), "who changed it, and when it came");
    assert!(version > vop);
    until_copied(&site.server).await;
    assert_eq!(content(&at_server(&client, "Group", "math").await, "Card", "ada"), json!(null), "left is left");
    let mut replica = site.replica("copy");
    replica.follow("Group", "chess", None).expect("a shelf");
    client.sync(&mut replica).await.expect("an answer");
    assert_eq!(in_replica(&replica, "Group", "chess"), at_server(&client, "Group", "chess").await);
}
