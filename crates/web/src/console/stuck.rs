//! What is stuck (CON-8, KER-40): everything whose wake-up is overdue, with the reason. It should be empty, and says so.

use std::sync::Arc;

use kernel::Namespace;
use kernel::overview::{FIND_STUCK, Found, Look};
use kernel::tasks::{STUCK_SUSPENDED, STUCK_TASKS};
use maud::{Markup, html};

use super::nav::{Group, Nav};
use super::page::{Page, PageResult};
use super::tasks::{WATCHERS, address, not_seen};
use super::visit::{Console, View};
use super::words as common;
use crate::answer::Answer;
use crate::api::Api;
use crate::seen::of_each;
use crate::ui::parts::{badge, empty, id, id_link, table};
use crate::ui::{Column, Holds, Row, Text, Tone, moment};

mod words {
    crate::texts! {
        STUCK: "Stuck", "Застряло", "Bloqué";
        NOTHING: "Nothing is stuck", "Ничего не застряло", "Rien n’est bloqué";
        NOTHING_HINT: "Everything that should go on by itself does. If something ever waits longer than it should, it is listed here with the reason; after a fault the list empties itself within seconds.",
            "Всё, что должно идти само, идёт. Если что-то ждёт дольше положенного, оно появится здесь с причиной; после сбоя список опустеет сам за секунды.",
            "Tout ce qui doit avancer tout seul avance. Ce qui attendrait trop longtemps figurerait ici avec sa raison\u{a0}; après une panne, la liste se vide d’elle-même en quelques secondes.";
        MEANS: "What is listed here should have gone on by itself. Mostly it mends itself within seconds; what stays needs you.",
            "Всё, что здесь перечислено, должно было продолжиться само. Обычно исправляется за секунды; то, что осталось, ждёт вас.",
            "Ce qui figure ici aurait dû avancer tout seul. Cela se répare en général en quelques secondes\u{a0}; ce qui reste a besoin de vous.";
        WHAT: "What", "Что", "Quoi";
        WHICH: "Which", "Какое", "Lequel";
        REASON: "Reason", "Причина", "Raison";
        SINCE: "Overdue since", "Просрочено", "En retard depuis";
        A_TASK: "task", "задача", "tâche";
        A_RUNNING_TASK: "running task", "выполняемая задача", "tâche en cours";
        A_SUSPENDED_TASK: "task of a suspended queue", "задача приостановленной очереди", "tâche d’une file suspendue";
        AN_ALERT: "alert", "оповещение", "alerte";
        GARBAGE: "files to be swept", "файлы к удалению", "fichiers à balayer";
        AN_EVENT: "event", "событие", "événement";
        A_FILE_OF_THE_EXCHANGE: "file of the exchange", "файл обмена", "fichier de l’échange";
        A_PROCESS_OF_THE_EXCHANGE: "process of the exchange", "процесс обмена", "processus de l’échange";
        A_DEVICE_OF_FOLDERS: "device of folders", "устройство папок", "appareil de dossiers";
        AN_UPLOAD: "upload to folders", "загрузка в папки", "envoi vers les dossiers";
        A_NOTICE: "notification of a sensor", "извещение датчика", "notification de capteur";
        A_GRAPH: "graph of a process", "граф процесса", "graphe d’un processus";
        A_PROCESS_OF_THE_WORKFLOW: "workflow process", "рабочий процесс", "processus de workflow";
        A_TASK_OF_THE_WORKFLOW: "workflow task", "задача рабочего процесса", "tâche de workflow";
        NO_WORKER: "No worker took it although it was due.", "Срок настал, но ни один исполнитель её не взял.", "Aucun exécutant ne l’a prise, bien que son heure soit venue.";
        SHOULD_BE_LOST: "Its run should have been taken for lost.", "Её запуск уже должен был считаться потерянным.", "Son exécution aurait dû être tenue pour perdue.";
        BY_WILL: "Its queue was suspended by somebody. Resume the queue and it starts.", "Её очередь кто-то приостановил. Возобновите очередь, и задача начнётся.",
            "Quelqu’un a suspendu sa file. Reprenez la file et elle démarre.";
    }
}

/// A triangle with a mark.
const ICON: &str = "M8 1l7.5 14H.5zM7.2 6v4.5h1.6V6zM7.2 12v1.5h1.6V12z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Work, place: 2, text: &words::STUCK, icon: ICON };
    vec![Page::new("/console/{ns}/stuck", stuck).roles(WATCHERS).nav(nav)]
}

async fn stuck(console: Console) -> PageResult {
    let look = |there: Api| async move { there.read(&FIND_STUCK, Look::at(there.kernel())).await };
    let (found, missed) = of_each(&console, look).await?;
    let named = |(ns, found): (Arc<Namespace>, Answer<Vec<Found>>)| {
        found.out.into_iter().map(move |found| (ns.name.clone(), found))
    };
    let all: Vec<_> = found.into_iter().flat_map(named).collect();
    let content = html! {
        div.stack #stuck data-live {
            (not_seen(&console, &missed))
            @if all.is_empty() { (nothing(&console)) } @else {
                p.hint { (console.say(&words::MEANS)) }
                (rows(&console, &all))
            }
        }
    };
    Ok(console.show(View { title: console.say(&words::STUCK), above: &[], actions: html! {}, content }))
}

fn nothing(console: &Console) -> Markup {
    let hint = html! { p { (console.say(&words::NOTHING_HINT)) } };
    empty(format!("✓ {}", console.say(&words::NOTHING)), hint)
}

fn rows(console: &Console, all: &[(String, Found)]) -> Markup {
    let everywhere = console.at_administration();
    let mut columns = vec![
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&words::WHICH), Holds::Text),
        Column(console.say(&words::SINCE), Holds::Text),
        Column(console.say(&words::REASON), Holds::Text),
    ];
    if everywhere {
        columns.insert(0, Column(console.say(&common::NAMESPACE), Holds::Text));
    }
    let rows: Vec<Row> = all.iter().map(|(namespace, found)| row(console, namespace, found, everywhere)).collect();
    table(console.say(&words::STUCK), &columns, &rows)
}

fn row(console: &Console, namespace: &str, Found { what, stuck }: &Found, everywhere: bool) -> Row {
    let is_task = STUCK_TASKS.contains(what) || *what == STUCK_SUSPENDED;
    let tone = if *what == STUCK_SUSPENDED { Tone::Warn } else { Tone::Bad };
    let subject = &stuck.subject;
    let mut cells = vec![
        badge(tone, kind(console, what)),
        html! { @if is_task { (id_link(&address(namespace, subject), subject)) } @else { (id(subject)) } },
        html! { (since(console, stuck.overdue_ms)) },
        reason(console, what, &stuck.reason),
    ];
    if everywhere {
        cells.insert(0, html! { (namespace) });
    }
    Row::of(cells).tone(Some(tone)).key(format!("{namespace}.{what}.{subject}"))
}

/// What it is. A kind that is not known here is called as its service calls it.
fn kind<'a>(console: &Console, what: &'a str) -> &'a str {
    word_of(what).map_or(what, |word| console.say(word))
}

/// Whether a kind of stuck things has words of its own here: for the test of all services.
#[doc(hidden)]
#[must_use]
pub fn has_words_for_stuck(what: &str) -> bool {
    word_of(what).is_some()
}

fn word_of(what: &str) -> Option<&'static Text> {
    KINDS.iter().find(|(kind, _)| *kind == what).map(|(_, word)| *word)
}

const KINDS: [(&str, &Text); 14] = [
    (STUCK_TASKS[0], &words::A_TASK),
    (STUCK_TASKS[1], &words::A_RUNNING_TASK),
    (STUCK_SUSPENDED, &words::A_SUSPENDED_TASK),
    ("alert", &words::AN_ALERT),
    ("blob_garbage", &words::GARBAGE),
    ("event", &words::AN_EVENT),
    ("exchange-file", &words::A_FILE_OF_THE_EXCHANGE),
    ("exchange-process", &words::A_PROCESS_OF_THE_EXCHANGE),
    ("folders-seat", &words::A_DEVICE_OF_FOLDERS),
    ("folders-upload", &words::AN_UPLOAD),
    ("sensor-notice", &words::A_NOTICE),
    ("workflow-graph", &words::A_GRAPH),
    ("workflow-process", &words::A_PROCESS_OF_THE_WORKFLOW),
    ("workflow-task", &words::A_TASK_OF_THE_WORKFLOW),
];

fn since(console: &Console, overdue_ms: i64) -> Markup {
    let now = console.now();
    moment::moment(console.language(), now, now.plus_ms(overdue_ms.saturating_neg()))
}

/// In the person's language where the kind is known, with what the finder itself says below.
fn reason(console: &Console, what: &str, words_of_finder: &str) -> Markup {
    let text = match what {
        _ if what == STUCK_TASKS[0] => &words::NO_WORKER,
        _ if what == STUCK_TASKS[1] => &words::SHOULD_BE_LOST,
        _ if what == STUCK_SUSPENDED => &words::BY_WILL,
        _ => return html! { (words_of_finder) },
    };
    html! { (console.say(text)) span.sub { (words_of_finder) } }
}

#[cfg(test)]
mod tests {
    use kernel::ServiceDef;

    use super::*;

    #[test]
    fn con_1_what_is_stuck_has_words_in_every_language() {
        for what in crate::app::OWN.iter().flat_map(|service| kinds(service.def)) {
            assert!(word_of(what).is_some(), "{what}");
        }
        assert_eq!(word_of("thing-of-a-plugin"), None);
    }

    fn kinds(service: &'static ServiceDef) -> impl Iterator<Item = &'static str> {
        service.stuck.iter().map(|stuck| stuck.what)
    }
}
