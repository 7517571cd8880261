//! The channels of alerts: who is told, in which order; set by administrators.
//!
//! The API takes the list as a whole. What stays is sent by its label, because a page never knows the URL or the secret of a
//! webhook.

use kernel::alerts::Channel;
use kernel::alerts::set_channels::{CHANNELS, Channels};
use kernel::alerts::summary::SUMMARY;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::WATCHERS;
use super::alerts::{failing, tabs_of, words as alerts};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::ui::parts::{Column, Holds, Row, badge, card, empty, table};
use crate::ui::{Field, Form, Kind, Text, Tone};

const SET: &str = "PUT /v1/{ns}/alert-channels";
/// As many as the API takes.
const CHANNELS_MAX: usize = 8;

mod words {
    crate::texts! {
        TITLE: "Channels of alerts", "Каналы оповещений", "Canaux d’alerte";
        ORDER: "Order", "Порядок", "Ordre";
        CHANNEL: "Channel", "Канал", "Canal";
        SIGNED: "Signed", "Подпись", "Signé";
        MAIL: "e-mail", "эл. почта", "e-mail";
        WEBHOOK: "webhook", "вебхук", "webhook";
        ADD_MAIL: "Add an e-mail channel", "Добавить почтовый канал", "Ajouter un canal e-mail";
        ADD_WEBHOOK: "Add a webhook", "Добавить вебхук", "Ajouter un webhook";
        ADD: "Add", "Добавить", "Ajouter";
        ADDRESSES: "Addresses", "Адреса", "Adresses";
        ADDRESSES_HINT: "1 to 20, separated by commas; all get each message", "От 1 до 20 через запятую; каждое сообщение получают все",
            "De 1 à 20, séparées par des virgules\u{a0}; toutes reçoivent chaque message";
        URL: "URL", "URL", "URL";
        URL_HINT: "Each message is posted there as JSON. Only its host is shown later.",
            "Каждое сообщение отправляется туда как JSON. Позже показывается только хост.",
            "Chaque message y est envoyé en JSON. Seul l’hôte sera affiché ensuite.";
        SECRET: "Secret", "Секрет", "Secret";
        SECRET_HINT: "whsec_ and base64 of 24 to 64 bytes, to sign by; may be empty",
            "whsec_ и base64 от 24 до 64 байт — для подписи; может быть пустым",
            "whsec_ et le base64 de 24 à 64 octets, pour signer\u{a0}; facultatif";
        REMOVE: "Remove", "Убрать", "Retirer";
        REMOVE_ASK: "Nobody is told by “{label}” any more.", "По каналу «{label}» больше никто ничего не получит.",
            "Plus personne ne sera prévenu par «\u{a0}{label}\u{a0}».";
        EARLIER: "Try earlier", "Пробовать раньше", "Essayer plus tôt";
        HOW: "A message goes to the first channel; the next one is used when it fails.",
            "Сообщение идёт по первому каналу; если он не сработал — по следующему.",
            "Un message part par le premier canal\u{a0}; le suivant sert si celui-ci échoue.";
        NOT_OWN: "These are the server’s channels. The first channel of this namespace’s own replaces them.",
            "Это каналы сервера. Первый собственный канал этого пространства заменит их.",
            "Ce sont les canaux du serveur. Le premier canal propre à cet espace les remplace.";
        EMPTY: "Nobody is told of alerts", "Об оповещениях никто не узнает", "Personne n’est prévenu des alertes";
        EMPTY_HINT: "Add an e-mail channel or a webhook; until then alerts are only shown here.",
            "Добавьте почтовый канал или вебхук; до тех пор оповещения видны только здесь.",
            "Ajoutez un canal e-mail ou un webhook\u{a0}; d’ici là, les alertes ne s’affichent qu’ici.";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/alerts/channels", channels).roles(WATCHERS)]
}

async fn channels(console: Console) -> PageResult {
    let found = console.read(&CHANNELS, ()).await?.out;
    let banner = console.read(&SUMMARY, ()).await?.out.banner;
    let content = html! {
        (tabs_of(&console, None).await?)
        div.stack #channels data-live {
            (failing(&console, &banner))
            (card(console.say(&words::TITLE), html! {}, shown(&console, &found)))
            @if console.may(SET) { (adding(&console, &found)) }
        }
    };
    let above = [(console.at("alerts"), console.say(&alerts::ALERTS).to_owned())];
    Ok(console.show(View { title: console.say(&words::TITLE), above: &above, actions: html! {}, content }))
}

fn shown(console: &Console, found: &Channels) -> Markup {
    let rows: Vec<_> = (0..found.channels.len()).map(|at| row(console, found, at)).collect();
    let columns = [
        Column(console.say(&words::ORDER), Holds::Numbers),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::CHANNEL), Holds::Text),
        Column(console.say(&words::SIGNED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    html! {
        @if rows.is_empty() {
            (empty(console.say(&words::EMPTY), html! { p { (console.say(&words::EMPTY_HINT)) } }))
        } @else {
            p.hint { (console.say(&words::HOW)) @if !found.own { " " (console.say(&words::NOT_OWN)) } }
            (table(console.say(&words::TITLE), &columns, &rows))
        }
    }
}

fn row(console: &Console, found: &Channels, at: usize) -> Row {
    let channel = &found.channels[at];
    let (kind, signed): (&Text, _) = match channel {
        Channel::Mail { .. } => (&words::MAIL, None),
        Channel::Webhook { secret, .. } => (&words::WEBHOOK, Some(secret.is_some())),
    };
    let word = |yes| console.say(if yes { &common::YES } else { &common::NO });
    Row::of(vec![
        html! { (at + 1) },
        badge(Tone::Quiet, console.say(kind)),
        html! { (channel.label()) },
        html! { @if let Some(signed) = signed { (word(signed)) } },
        html! { @if found.own { (earlier(console, found, at)) (remove(console, found, at)) } },
    ])
}

/// How a channel that stays is sent.
fn kept(channel: &Channel) -> Value {
    json!({ "kind": channel.word(), "label": channel.label() })
}

fn set(console: &Console, button: &Text, channels: &[Value]) -> Form {
    console.form(SET, button).field(Field::hidden("channels", &json!(channels)))
}

fn remove(console: &Console, found: &Channels, at: usize) -> Form {
    let mut left: Vec<_> = found.channels.iter().map(kept).collect();
    left.remove(at);
    let label = found.channels[at].label();
    set(console, &words::REMOVE, &left).tone(Tone::Bad).confirm(console.fill(&words::REMOVE_ASK, &[("label", &label)]))
}

fn earlier(console: &Console, found: &Channels, at: usize) -> Form {
    let mut moved: Vec<_> = found.channels.iter().map(kept).collect();
    if at > 0 {
        moved.swap(at - 1, at);
    }
    set(console, &words::EARLIER, &moved).allowed(at > 0)
}

/// Forms for one more channel behind those that are there.
fn adding(console: &Console, found: &Channels) -> Markup {
    let own: Vec<_> = found.channels.iter().filter(|_| found.own).map(kept).collect();
    let place = own.len();
    if place >= CHANNELS_MAX {
        return html! {};
    }
    let named = |name: &str| format!("channels.{place}.{name}");
    let kind = |word: &str| Field::new(named("kind"), "", Kind::Hidden).value(word);
    let field = |name: &str, label: &Text, kind, hint: &Text| {
        Field::new(named(name), console.say(label), kind).hint(console.say(hint))
    };
    let mail = set(console, &words::ADD, &own)
        .field(kind("mail"))
        .field(field("to", &words::ADDRESSES, Kind::Words, &words::ADDRESSES_HINT).required())
        .tone(Tone::Good);
    let webhook = set(console, &words::ADD, &own)
        .field(kind("webhook"))
        .field(field("url", &words::URL, Kind::Text, &words::URL_HINT).required())
        .field(field("secret", &words::SECRET, Kind::Password, &words::SECRET_HINT).autocomplete("new-password"))
        .tone(Tone::Good);
    html! {
        div.columns {
            (card(console.say(&words::ADD_MAIL), html! {}, html! { (mail) }))
            (card(console.say(&words::ADD_WEBHOOK), html! {}, html! { (webhook) }))
        }
    }
}
