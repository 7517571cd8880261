//! The console's pages of documents (CON-5), and what devices may write into them (CON-9).

use base::{Sql, args};
use kernel::Op;
use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge};
use crate::kit::Desk;

const EVIL: &str = "<img src=x onerror=alert(1)>";
const CLASS: &str = "/console/main/documents/Contact";

/// What a page says, without markup.
fn href_of<'a>(page: &'a str, class: &str) -> Vec<&'a str> {
    let link = format!("<a class=\"id\" href=\"/console/main/documents/{class}");
    page.split(&link).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn tel(id: &str, key: &str, value: Value) -> Value {
    json!([{ "c": "Contact", "id": id, "items": [{ "c": "Tel", "k": key, "j": value }] }])
}

#[test]
fn con_5_classes_are_shown_with_items_indexes_copies_history_and_count() {
    let edge = Edge::new();
    edge.desk
        .declare(json!({ "class": "Past", "history": true, "items": { "Tel": { "copy_to": ["Contact"] } } }))
        .unwrap();
    edge.desk.put("a", "Card", None, json!({ "name": "Ada" }));
    let page = edge.page("/console/main/documents");
    for said in ["Card.name", "Tel.tags", "ready", ">one<", "Tel</code> → Contact", ">kept<", "data-call=\"POST\""] {
        assert!(page.contains(said), "no {said} in {page}");
    }
    assert_eq!(href_of(&page, "").len(), 2);
    for (language, said) in [("ru", "Документы"), ("fr", "Éléments")] {
        assert!(edge.page_as(ADMIN, "/console/main/documents", language).1.contains(said), "{language}");
    }
}

#[test]
fn con_5_an_index_that_is_being_filled_tells_how_far_it_is() {
    let desk = Desk::new();
    desk.stop_tasks();
    desk.commit(tel("a", "1", json!({ "city": "Oslo" }))).unwrap();
    desk.declare(json!({ "class": "Contact", "items": { "Tel": { "index": { "city": "string" } }, "Card": { "singleton": true }, "Raw": { "raw": true } } }))
        .unwrap();
    let edge = Edge::of(desk);
    assert!(edge.page("/console/main/documents").contains("filling, 0 looked at"));
    let found = edge.page(&format!("{CLASS}?field=Tel.city&cond=EQ&v1=Oslo&v2="));
    assert!(found.contains("This cannot be searched") && found.contains("is being filled"), "{found}");
}

#[test]
fn con_5_without_a_class_the_page_says_how_to_declare_one() {
    let edge = Edge::of(Desk(testbed::World::of(&[&documents::SERVICE])));
    let page = edge.page("/console/main/documents");
    assert!(page.contains("fastness documents class declare") && page.contains("/v1/main/doc-classes"), "{page}");
    assert!(page.contains("name=\"*\""), "a form to declare one");
    let reader = edge.key("main", "reader");
    assert!(!edge.page_as(&reader, "/console/main/documents", "en").1.contains("name=\"*\""), "not for readers");
}

#[test]
fn con_5_documents_are_listed_in_pages_and_by_the_beginning_of_their_ids() {
    let edge = Edge::new();
    for part in 0..4 {
        let change = |n: i32| json!({ "c": "Contact", "id": format!("d{:03}", part * 30 + n), "items": [] });
        edge.desk.commit(Value::Array((0..30).map(change).collect())).unwrap();
    }
    let first = edge.page(CLASS);
    assert_eq!(href_of(&first, "Contact/").len(), 50);
    assert!(first.contains(&format!("{CLASS}?after=d049")));
    let second = edge.page(&format!("{CLASS}?after=d049"));
    assert_eq!(href_of(&second, "Contact/").first(), Some(&"d050"));
    let some = edge.page(&format!("{CLASS}?prefix=d11&after="));
    assert_eq!(href_of(&some, "Contact/").len(), 10);
    assert!(edge.page(&format!("{CLASS}?prefix=x")).contains("No id starts with this"));
    assert!(edge.page(&format!("{CLASS}?prefix=a%07")).contains("control character"));
    for (path, status) in [("/console/main/documents/None", 404), (&format!("{CLASS}?colour=1"), 400)] {
        let (answered, page) = edge.page_as(ADMIN, path, "en");
        assert!(answered == status && page.contains("<h1>"), "{path}: {answered} {page}");
    }
}

#[test]
fn con_5_doc_13_documents_are_found_by_their_indexes() {
    let edge = Edge::new();
    for number in 0..60 {
        edge.desk.commit(tel(&format!("d{number:02}"), "1", json!({ "number": number, "tags": ["x"] }))).unwrap();
    }
    let found = |query: &str| edge.page(&format!("{CLASS}?{query}"));
    let page = found("field=Tel.number&cond=GELT&v1=7&v2=9");
    assert_eq!(href_of(&page, "Contact/"), ["d07", "d08"]);
    assert!(page.contains("{&quot;number&quot;:7"), "what was found is shown");
    assert_eq!(href_of(&found("field=Tel.tags&cond=SW&v1=x"), "Contact/").len(), 50);
    let next = found("field=Tel.tags&cond=SW&v1=x");
    let next = next.split("rel=\"next\"").next().and_then(|before| before.rsplit("href=\"").next()).unwrap();
    let next = next.trim_end_matches("\" ").replace("&amp;", "&");
    assert_eq!(href_of(&edge.page(&next), "Contact/").len(), 10, "{next}");
    assert!(found("field=Tel.number&cond=EQ&v1=99").contains("Nothing found"));
    for (language, said) in [
        ("en", "“many” is no whole number"),
        ("ru", "«many» — не целое число"),
        ("fr", "many\u{a0}» n’est pas un nombre entier"),
    ] {
        let asked = format!("{CLASS}?field=Tel.number&cond=EQ&v1=many");
        let (_, page) = edge.page_as(ADMIN, &asked, language);
        assert!(page.contains(said) && !page.contains("{text}"), "{language}: {page}");
    }
    assert!(found("field=Tel.number&cond=SW&v1=1").contains("SW is for texts"));
    assert!(found("field=Tel.none&cond=EQ&v1=1").contains("“Tel.none” is not indexed"));
    assert!(found("field=Tel.tags&cond=SW&v1=x&after=zzz").contains("This cannot be searched"));
}

#[test]
fn con_5_a_document_shows_items_deleted_ones_attachments_and_who_changed_them() {
    let edge = Edge::new();
    edge.desk
        .declare(json!({ "class": "Past", "history": true, "items": { "Tel": {}, "Raw": { "raw": true } } }))
        .unwrap();
    let put = |items: Value| json!([{ "c": "Past", "id": "a", "items": items }]);
    edge.desk
        .commit_as(
            "ada",
            put(json!([{ "c": "Tel", "k": "1", "j": { "n": 1 } }, { "c": "Raw", "k": "r", "s": "two\nlines" }])),
        )
        .unwrap();
    edge.desk.commit_as("bob", put(json!([{ "c": "Tel", "k": "1", "delete": true }]))).unwrap();
    let at = "/v1/main/docs/Past/a/attachments/face%20one.png";
    assert_eq!(edge.send("PUT", at, ADMIN, &[("content-type", "image/png")], b"pixels".to_vec()).0, 200);
    let page = edge.page("/console/main/documents/Past/a");
    for said in ["two\nlines", ">ada<", ">bob<", "doc.commit", "Deleted items", ">created<", ">changed<", "image/png"] {
        assert!(page.contains(said), "no {said} in {page}");
    }
    assert!(page.contains(&format!("href=\"{at}\" download=\"face one.png\"")), "{page}");
    assert!(!page.contains("<img"), "nothing from outside is shown inline");
    assert!(page.contains("<del><code>Tel"), "the history names what was deleted");
    let other = edge.desk.put("b", "Card", None, json!({}));
    let page = edge.page(&format!("{CLASS}/b"));
    assert!(page.contains("No history is kept of this class"));
    assert!(page.contains(&format!("id=\"document-version\" data-now=\"{other}\"")));
    assert!(edge.page(&format!("{CLASS}/none")).contains("There is no such document"));
}

#[test]
fn con_5_who_may_not_change_documents_is_offered_no_change() {
    let edge = Edge::new();
    edge.desk.put("a", "Card", None, json!({ "name": "Ada" }));
    let (reader, operator) = (edge.key("main", "reader"), edge.key("main", "operator"));
    for path in [CLASS.to_owned(), format!("{CLASS}/a"), format!("{CLASS}/a/item?c=Card")] {
        let (status, page) = edge.page_as(&reader, &path, "en");
        assert!(status == 200 && !page.contains("doc.commit\" data-call") && !page.contains("type=\"file\""), "{page}");
        assert!(
            edge.page_as(&operator, &path, "en").1.contains("/v1/main/op/doc.commit\" data-call=\"POST\""),
            "{path}"
        );
        assert_eq!(edge.page_as(&edge.key("main", "device"), &path, "en").0, 403);
    }
}

#[test]
fn con_5_a_form_carries_the_version_that_its_page_showed_and_is_refused_after_another_change() {
    let edge = Edge::new();
    let version = edge.desk.put("a", "Card", None, json!({ "name": "Ada", "n": 9_007_199_254_740_993_i64 }));
    let page = edge.page(&format!("{CLASS}/a/item?c=Card"));
    let expect = format!(
        "name=\"param.changes.0.expect\" data-kind=\"json\" data-follows=\"document-version\" value=\"{version}\""
    );
    assert!(page.contains(&expect) && page.contains("data-behind=\"CVERSION\""), "{page}");
    assert!(page.contains("9007199254740993"), "numbers are exact");
    let newer = edge.desk.put("a", "Card", None, json!({ "name": "Eve" }));
    let change = |expect: i64| {
        let items = json!([{ "c": "Card", "j": { "name": "Bob" } }]);
        let change = json!({ "c": "Contact", "id": "a", "expect": expect, "items": items });
        edge.ask("POST", "/v1/main/op/doc.commit", ADMIN, &json!({ "param": { "changes": [change] } }))
    };
    let (status, refused) = change(version);
    assert_eq!((status, &refused["code"]), (409, &json!("CVERSION")));
    assert!(edge.page(&format!("{CLASS}/a/item?c=Card")).contains(&format!("data-now=\"{newer}\"")));
    assert_eq!(change(newer).0, 200);
}

#[test]
fn con_5_an_item_that_is_not_there_is_added_on_its_page() {
    let edge = Edge::new();
    edge.desk.put("a", "Card", None, json!({}));
    let page = edge.page(&format!("{CLASS}/a/item?c=Raw&k=new+one"));
    assert!(page.contains("saving adds it") && page.contains("param.changes.0.items.0.s"), "{page}");
    assert!(page.contains("name=\"param.changes.0.items.0.k\" data-kind=\"text\" value=\"new one\""));
    for (query, status) in [("c=None&k=1", 422), ("c=Tel", 422), ("", 422)] {
        assert_eq!(edge.page_as(ADMIN, &format!("{CLASS}/a/item?{query}"), "en").0, status, "{query}");
    }
    assert_eq!(edge.page_as(ADMIN, &format!("{CLASS}/none/item?c=Card"), "en").0, 404);
    edge.desk
        .commit(json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Raw", "k": "r", "s": "a\r\nb" }] }]))
        .unwrap();
    assert!(edge.page(&format!("{CLASS}/a/item?c=Raw&k=r")).contains("line ends of another system"));
}

#[test]
fn con_9_ids_of_every_kind_lead_to_their_documents() {
    let ids = [
        "..",
        ".",
        "...",
        "a/b",
        "/",
        "%2F",
        "%",
        "a b",
        "a+b",
        "é☃\u{1f980}",
        "\u{202e}gnp.exe",
        "a?b#c&d=e",
        "\\",
        "'\"`",
        "{id}",
        EVIL,
        "item",
    ];
    let edge = Edge::new();
    for id in ids {
        edge.desk.commit(tel(id, id, json!({ EVIL: EVIL, "id": id }))).unwrap();
    }
    let list = edge.page(CLASS);
    assert!(!list.contains("<img") && list.contains("&lt;img src=x onerror=alert(1)&gt;"), "{list}");
    let links = href_of(&list, "Contact");
    assert_eq!(links.len(), ids.len());
    let mut sorted = ids;
    sorted.sort_unstable();
    for (id, link) in sorted.iter().zip(links) {
        assert!(!link.contains("/.") && !link.to_lowercase().ends_with("/%2e%2e"), "a browser would go up: {link}");
        let page = edge.page(&format!("{CLASS}{}", link.replace("&amp;", "&")));
        let shown = maud_escaped(id);
        assert!(page.contains(&format!("<h1>{shown}</h1>")), "{id}: {page}");
        assert!(!page.contains("<img"), "{page}");
        let edit = page.split("class=\"button\" href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let item = edge.page(&edit.replace("&amp;", "&"));
        assert!(item.contains(&format!("<h1>Tel {shown}</h1>")) && !item.contains("<img"), "{edit}: {item}");
        assert!(item.contains(&format!("data-kind=\"text\" value=\"{shown}\"")), "{item}");
    }
}

fn maud_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[test]
fn con_9_keys_and_types_of_attachments_are_text_and_their_links_lead_to_them() {
    let edge = Edge::new();
    let evil_type = "text/html;x=<img>";
    edge.desk.put("a/b", "Card", None, json!({}));
    for key in ["..%2Fx", "%3Cimg%20src=x%3E", "%E2%80%AEgnp"] {
        let at = format!("/v1/main/docs/Contact/a%2Fb/attachments/{key}");
        assert_eq!(edge.send("PUT", &at, ADMIN, &[("content-type", evil_type)], key.as_bytes().to_vec()).0, 200);
    }
    let page = edge.page(&format!("{CLASS}/a%2Fb"));
    assert!(!page.contains("<img") && page.contains("text/html;x=&lt;img&gt;"), "{page}");
    let links = page.split("<a class=\"id\" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let links: Vec<_> = links.filter(|link| link.contains("/attachments/")).collect();
    assert_eq!(links.len(), 3, "{links:?}");
    for link in links {
        let (status, bytes) = edge.send("GET", link, ADMIN, &[], vec![]);
        assert_eq!((status, bytes.is_empty()), (200, false), "{link}");
    }
}

#[test]
fn con_5_a_large_document_is_shown_in_parts() {
    let edge = Edge::new();
    for part in 0..4 {
        let item =
            |n: i32| json!({ "c": "Tel", "k": format!("{:04}", part * 900 + n), "j": { "text": "x".repeat(1_000) } });
        let items: Vec<_> = (0..900).map(item).collect();
        edge.desk.commit(json!([{ "c": "Contact", "id": "a", "items": items }])).unwrap();
    }
    let page = edge.page(&format!("{CLASS}/a"));
    assert!(page.contains("1 to 50 of 3,600") && page.len() < 400_000, "{}", page.len());
    let last = edge.page(&format!("{CLASS}/a?kind=Tel&key=35&skip=50"));
    assert!(last.contains("51 to 100 of 100") && last.contains(">3599<"), "{last}");
    let long = json!({ "text": "y".repeat(300_000) });
    edge.desk.commit(tel("b", "long", long)).unwrap();
    let page = edge.page(&format!("{CLASS}/b"));
    assert!(page.contains("Show all") && page.contains("Show whole value") && page.len() < 60_000, "{}", page.len());
    assert!(edge.page(&format!("{CLASS}/b/item?c=Tel&k=long")).contains(&"y".repeat(300_000)));
}

/// The address behind a word of a page.
fn linked<'a>(page: &'a str, rel: &str) -> Vec<&'a str> {
    let links = page.split("href=\"").skip(1).filter(|rest| rest[..rest.find('>').unwrap()].contains(rel));
    links.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn con_5_every_attachment_and_every_deleted_item_of_a_document_can_be_reached() {
    let edge = Edge::new();
    edge.desk.put("a", "Card", None, json!({ "name": "Ada" }));
    let at = "/v1/main/docs/Contact/a/attachments/first";
    assert_eq!(edge.send("PUT", at, ADMIN, &[("content-type", "image/png")], b"pixels".to_vec()).0, 200);
    let sha = edge.ask("GET", "/v1/main/docs/Contact/a", ADMIN, &Value::Null).1["attachments"][0]["sha"].clone();
    let file = |n: i32| json!({ "c": "P", "k": format!("file{n:03}"), "j": { "mime": "image/png", "sha": sha } });
    let item = |n: i32| json!({ "c": "Tel", "k": format!("gone{n:03}"), "j": {} });
    let gone = |n: i32| json!({ "c": "Tel", "k": format!("gone{n:03}"), "delete": true });
    for items in [(0..120).map(file).collect::<Vec<_>>(), (0..230).map(item).collect(), (0..230).map(gone).collect()] {
        edge.desk.commit(json!([{ "c": "Contact", "id": "a", "items": items }])).unwrap();
    }
    let page = edge.page(&format!("{CLASS}/a"));
    assert!(page.contains("file099") && !page.contains("file100") && page.contains("1 to 100 of 121"), "{page}");
    let next = linked(&page, "rel=\"next\"");
    assert_eq!(next, [format!("{CLASS}/a?files=100#attached"), format!("{CLASS}/a?gone=200#deleted")]);
    let page = edge.page(&format!("{CLASS}/a?files=100&gone=200"));
    assert!(page.contains("file119") && page.contains("101 to 121 of 121") && page.contains("attachments/file119"));
    assert!(
        page.contains("gone229") && page.contains("201 to 230 of 230") && page.contains("<details class=\"fold\" open")
    );
    assert_eq!(
        linked(&page, "rel=\"first\""),
        [format!("{CLASS}/a?gone=200#attached"), format!("{CLASS}/a?files=100#deleted")]
    );
    let beyond = edge.page(&format!("{CLASS}/a?files=500&gone=900&skip=900"));
    for shown in ["101 to 121 of 121", "file119", "201 to 230 of 230", "gone229", "Ada"] {
        assert!(beyond.contains(shown), "a page beyond the end is the last one: no {shown} in {beyond}");
    }
}

#[test]
fn con_5_classes_are_counted_evenly_and_no_more_than_a_page_may_cost() {
    static MANY: Sql = Sql::new(
        "test.many",
        "INSERT INTO doc (class, id, version, ctime, dtime, v1, v2, live, gone, op, who) \
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 7000) \
         SELECT ?1, n, 261115120000000, 261115120000000, 261115120000000, 0, 0, 0, 0, '', '' FROM n",
    );
    static PUT_MANY: Op<String, ()> = Op::new("test.put_many", |tx, _, class| Ok(tx.write(&MANY, args![class])?));
    let edge = Edge::new();
    let told = || edge.ask("GET", "/v1/main/docs", ADMIN, &Value::Null).1["items"].clone();
    edge.desk.0.call(&PUT_MANY, "Contact".into()).unwrap();
    assert_eq!(told()[0], json!({ "class": "Contact", "documents": 7_000, "more": false }));
    for class in ["Other", "Third"] {
        edge.desk.declare(json!({ "class": class, "items": {} })).unwrap();
        edge.desk.0.call(&PUT_MANY, class.into()).unwrap();
    }
    let counts = told();
    let counts: Vec<_> = counts.as_array().unwrap().iter().map(|count| (&count["documents"], &count["more"])).collect();
    assert_eq!(counts, [(&json!(6_000), &json!(true)); 3]);
    assert_eq!(edge.page("/console/main/documents").matches("6,000+").count(), 3);
}

#[test]
fn con_1_every_page_is_there_in_every_language() {
    let edge = Edge::new();
    edge.desk.put("a", "Card", None, json!({ "name": "Ada" }));
    for path in [
        "",
        "/Contact",
        "/Contact?field=Card.name&cond=EQ&v1=Ada",
        "/Contact/a",
        "/Contact/none",
        "/Contact/a/item?c=Card",
    ] {
        for language in ["en", "ru", "fr"] {
            let (status, page) = edge.page_as(ADMIN, &format!("/console/main/documents{path}"), language);
            assert!(status == 200 && page.contains(&format!("<html lang=\"{language}\"")), "{path} {language}");
            assert!(
                !page.contains('{') || !page.contains("{n}") && !page.contains("{id}") && !page.contains("{v}"),
                "{path} {language}"
            );
        }
    }
}
