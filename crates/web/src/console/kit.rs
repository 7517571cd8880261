//! The page of components (`/console/_components`): what pages are made of, each in every state. Pages are designed from here.

use base::Wall;
use maud::{Markup, html};

use super::page::{Page, PageResult};
use super::visit::{Console, View};
use crate::ui::band::{band, shares};
use crate::ui::chart::{Chart, Line};
use crate::ui::form::filters;
use crate::ui::moment::{bytes, duration};
use crate::ui::parts::{
    Stop, badge, banner, card, command, data, digest, empty, facts, id, lamp, meter, pager, progress, stats, stops,
    table, tabs,
};
use crate::ui::{Column, Field, Form, Holds, Kind, Row, Stat, Tone};

const TONES: [Tone; 5] = [Tone::Good, Tone::Warn, Tone::Bad, Tone::Info, Tone::Quiet];

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/_components", components)]
}

async fn components(console: Console) -> PageResult {
    let content = html! {
        p.lead { "Everything a page of the console is made of. A colour always means something; type and space have one scale each." }
        div.stack {
            (card("Type", html! {}, type_scale()))
            (card("Colours with meaning", html! {}, tones()))
            (card("Numbers that matter", html! {}, numbers()))
            (card("Chart", html! {}, chart(&console)))
            (card("Table", html! { a href="#" { "Aside" } }, rows(&console)))
            (card("Empty", html! {}, empty("Nothing here yet", html! { p { "An empty state says what would be here and what to do." } })))
            (card("Facts, ids, data", html! {}, values(&console)))
            (card("Filters, tabs, paging", html! {}, lists()))
            (card("Forms", html! {}, forms()))
        }
    };
    Ok(console.show(View {
        title: "Components",
        above: &[("/console/z/".into(), "Console".into())],
        actions: html! {},
        content,
    }))
}

fn type_scale() -> Markup {
    html! {
        p.as-h1 { "Heading of a page" }
        h2 { "Heading of a part" }
        h3 { "Heading of a detail" }
        p { "Text, with a " a href="#" { "link" } ", some " code { "code" } " and a " b { "strong" } " word." }
        p.hint { "A hint: said beside something, never alone." }
        p.small { "Small: what is looked up, not read." }
    }
}

fn tones() -> Markup {
    html! {
        p { @for tone in TONES { (badge(tone, tone.class())) " " } }
        p { @for tone in TONES { (lamp(tone)) "  " (tone.class()) "  " } }
        @for tone in TONES { (banner(tone, html! { "A banner: read before anything else. " b { (tone.class()) } })) }
    }
}

fn numbers() -> Markup {
    let stat = |tone: Tone, value: &str, href: Option<&str>| Stat {
        label: tone.class().into(),
        value: value.into(),
        hint: html! { "what it means" },
        tone,
        href: href.map(str::to_owned),
    };
    stats(&[
        stat(Tone::Quiet, "1,204", None),
        stat(Tone::Info, "12", Some("#")),
        stat(Tone::Good, "0", Some("#")),
        stat(Tone::Warn, "3 min", Some("#")),
        stat(Tone::Bad, "10,000+", Some("#")),
    ])
}

fn chart(console: &Console) -> Markup {
    let done: Vec<f64> = (0..120).map(|step| 40.0 + 25.0 * (f64::from(step) / 9.0).sin()).collect();
    let errors: Vec<f64> = (0..120).map(|step| if step % 37 < 3 { 12.0 } else { 0.0 }).collect();
    Chart {
        title: "Operations",
        unit: "per second",
        from_to: ("10 min ago".into(), "now".into()),
        lines: vec![
            Line { name: "done", tone: Tone::Info, values: &done, told: "4,802 in all".into() },
            Line { name: "errors", tone: Tone::Bad, values: &errors, told: "108 in all".into() },
        ],
    }
    .draw(console.language())
}

fn rows(console: &Console) -> Markup {
    let columns = [
        Column("What", Holds::Text),
        Column("When", Holds::Text),
        Column("Count", Holds::Numbers),
        Column("Actions", Holds::Actions),
    ];
    let row = |what: &str, ago_ms: i64, tone: Option<Tone>| {
        Row::of(vec![
            html! { (what) span.sub { "more about it" } },
            console.moment(Wall(console.now().0 - ago_ms)),
            html! { (console.language().number(ago_ms)) },
            html! { (Form::new("POST", "/v1/z/none", "Do it")) (Form::new("DELETE", "/v1/z/none", "Delete").tone(Tone::Bad).confirm("Sure?")) },
        ])
        .tone(tone)
    };
    table(
        "Examples",
        &columns,
        &[
            row("plain", 500, None),
            row("bad", 90_000, Some(Tone::Bad)),
            row("warn", 7_300_000, Some(Tone::Warn)),
            row(
                "a-very-long-name-without-any-space-that-must-not-break-the-page-at-all-whatever-happens",
                190_000_000,
                None,
            ),
        ],
    )
}

fn values(console: &Console) -> Markup {
    html! {
        (facts(&[
            ("Id, to be copied", id("01K9ZV6J3P8Q5RDT7WXYA2BCDE")),
            ("Digest, to be copied", digest("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
            ("Command, to be copied", command("fastness status", "Copy")),
            ("Moment", console.moment(console.now())),
            ("Duration and size", html! { (duration(console.language(), 5_400_000)) ", " (bytes(console.language(), 1_536_000)) }),
            ("Progress", meter("Progress", 3, 10)),
            ("Progress with words", progress(Tone::Info, "Progress", (3, 10), html! { "running" })),
            ("Band", band("6 good, 3 bad, 1 quiet", &shares(&[(Tone::Good, 6), (Tone::Bad, 3), (Tone::Quiet, 1)]))),
        ]))
        (stops("Stops", &[stop(Tone::Good, "passed"), stop(Tone::Info, "here now"), stop(Tone::Quiet, "to come")]))
        (data(r#"{"from":"a phone","text":"<b>escaped</b>","list":[1,2,3]}"#))
    }
}

fn stop(tone: Tone, label: &str) -> Stop {
    Stop { tone, label: label.to_owned(), words: html! { "when" } }
}

fn lists() -> Markup {
    let tab = |text: &str, here| ("#".to_owned(), text.to_owned(), here);
    html! {
        (tabs("Views", &[tab("All", true), tab("Waiting", false), tab("Parked", false)]))
        (filters("/console/_components", &[
            Field::new("q", "Text", Kind::Text),
            Field::new("state", "State", Kind::Text).choices(vec![(String::new(), "all".into()), ("open".into(), "open".into())]),
        ], "Filter"))
        (pager(("First page", Some("#".into())), ("Next page", Some("#".into()))))
    }
}

fn forms() -> Markup {
    let form = Form::new("POST", "/v1/z/none", "Save")
        .tone(Tone::Good)
        .field(Field::new("name", "Name", Kind::Text).required().hint("A few words of help"))
        .field(
            Field::new("role", "Role", Kind::Text)
                .choices(vec![("a".into(), "Operator".into()), ("b".into(), "Reader".into())]),
        )
        .field(Field::new("at", "Moment", Kind::Moment))
        .field(Field::new("data", "Data", Kind::Json).value("{\n  \"a\": 1\n}"))
        .field(Field::new("flag", "A flag", Kind::Flag).value("true"));
    let upload = Form::new("PUT", "/v1/z/none/{key}", "Send")
        .field(Field::new("file", "File", Kind::File).required())
        .field(Field::new("key", "Key", Kind::Text).in_path().required().hint("Choosing a file fills its name in"))
        .in_dialog("Send a file");
    html! {
        p { (Form::new("POST", "/v1/z/none", "Send").field(Field::new("x", "X", Kind::Text)).in_dialog("Open a dialog")) " " (upload) " " a.button href="#" { "A link as a button" } }
        (form)
    }
}
