//! Queues (CON-8, KER-22): what is in them, what runs on this node right now, suspended and resumed, one or all.
//!
//! At the administrators' namespace: the queues of all namespaces, and the switch of the whole server.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Id;
use kernel::Namespace;
use kernel::tasks::{self, ALL, Look, QueueState, Search, State};
use maud::{Markup, html};

use super::nav::{Group, Nav};
use super::page::{Page, PageResult};
use super::tasks::{WATCHERS, address, counted, not_seen, queue_name, words as task_words};
use super::visit::{Console, View};
use super::words as common;
use crate::api::Api;
use crate::error::ApiError;
use crate::seen::of_each;
use crate::ui::form::link;
use crate::ui::parts::{badge, banner, card, empty, stats, table};
use crate::ui::{Column, Form, Holds, Row, Stat, Text, Tone};

mod words {
    crate::texts! {
        QUEUES: "Queues", "Очереди", "Files";
        WORKS: "Works", "Работает", "Active";
        SUSPENDED: "Suspended", "Приостановлена", "Suspendue";
        WORKERS: "Workers here", "Исполнители здесь", "Exécutants ici";
        WORKERS_BUSY: "{busy} of {all} busy", "занято {busy} из {all}", "{busy} sur {all} occupés";
        DUE: "Due", "К запуску", "À lancer";
        RUNNING: "Running", "Выполняются", "En cours";
        LATER: "Later", "Позже", "Plus tard";
        PARKED: "Parked", "Остановлены", "Arrêtées";
        NEXT_START: "Next start", "Ближайший старт", "Prochain départ";
        SUSPEND: "Suspend", "Приостановить", "Suspendre";
        RESUME: "Resume", "Возобновить", "Reprendre";
        SUSPEND_ALL: "Suspend all", "Приостановить все", "Tout suspendre";
        RESUME_ALL: "Resume all", "Возобновить все", "Tout reprendre";
        SUSPEND_SERVER: "Suspend the whole server", "Приостановить весь сервер", "Suspendre tout le serveur";
        RESUME_SERVER: "Resume the whole server", "Возобновить весь сервер", "Reprendre tout le serveur";
        SUSPEND_SURE: "Suspend queue {queue} of {namespace}? It starts nothing more, on any node; what runs goes on to its end.",
            "Приостановить очередь {queue} ({namespace})? Она больше ничего не начнёт ни на одном узле; начатое закончится.",
            "Suspendre la file {queue} de {namespace}\u{a0}? Elle ne démarre plus rien, sur aucun nœud\u{a0}; ce qui s’exécute va à son terme.";
        SUSPEND_ALL_SURE: "Suspend all queues of {namespace}? Nothing more starts, on any node; what runs goes on to its end.",
            "Приостановить все очереди {namespace}? Ничего больше не начнётся ни на одном узле; начатое закончится.",
            "Suspendre toutes les files de {namespace}\u{a0}? Plus rien ne démarre, sur aucun nœud\u{a0}; ce qui s’exécute va à son terme.";
        SUSPEND_SERVER_SURE: "Suspend the queues of all namespaces? No task starts any more, on any node; what runs goes on to its end.",
            "Приостановить очереди всех пространств? Ни одна задача больше не начнётся ни на одном узле; начатое закончится.",
            "Suspendre les files de tous les espaces\u{a0}? Plus aucune tâche ne démarre, sur aucun nœud\u{a0}; ce qui s’exécute va à son terme.";
        IS_SUSPENDED: "Suspended. What runs goes on to its end.", "Приостановлено. Начатое закончится.", "Suspendu. Ce qui s’exécute va à son terme.";
        IS_RESUMED: "Resumed", "Возобновлено", "Repris";
        ALL_SUSPENDED: "All queues of {namespace} are suspended: nothing starts until somebody resumes them.",
            "Все очереди {namespace} приостановлены: ничего не начнётся, пока их не возобновят.",
            "Toutes les files de {namespace} sont suspendues\u{a0}: rien ne démarre tant que personne ne les reprend.";
        RUNNING_HERE: "Running on this node", "Выполняются на этом узле", "En cours sur ce nœud";
        CALLS_HERE: "Outside calls", "Внешние вызовы", "Appels externes";
        CALLS_HINT: "under way on this node", "идут с этого узла", "en cours depuis ce nœud";
        BACKLOG: "In memory of this node right now", "В памяти этого узла сейчас", "En mémoire de ce nœud en ce moment";
        NOTHING_RUNS: "Nothing runs here at this moment", "Сейчас здесь ничего не выполняется", "Rien ne s’exécute ici en ce moment";
        NOTHING_RUNS_HINT: "Tasks start by themselves when they are due and a worker is free.", "Задачи начинаются сами, когда наступает срок и свободен исполнитель.",
            "Les tâches démarrent d’elles-mêmes à l’heure prévue, dès qu’un exécutant est libre.";
        RUNS_NO_TASKS: "This node runs no tasks", "Этот узел не выполняет задач", "Ce nœud n’exécute pas de tâches";
        ONLY_FIRST: "The first {shown} of {all}.", "Первые {shown} из {all}.", "Les {shown} premières sur {all}.";
    }
}

/// Three lines of different length.
const ICON: &str = "M1 2h14v3H1zM1 6.5h10v3H1zM1 11h6v3H1z";
/// Running tasks that are shown.
const SHOWN_MAX: usize = 100;

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Work, place: 1, text: &words::QUEUES, icon: ICON };
    vec![Page::new("/console/{ns}/queues", queues).roles(WATCHERS).nav(nav)]
}

/// The queues of a namespace.
struct Manager {
    ns: Arc<Namespace>,
    queues: BTreeMap<i64, QueueState>,
    /// Those that are suspended by their number, or all.
    suspended: Vec<i64>,
    /// Tasks that run on this node.
    running: Vec<Run>,
}

/// A task that runs on this node.
struct Run {
    id: Id,
    attempt: i64,
    /// Its operation, if it is among those that were looked up.
    op: Option<String>,
}

async fn queues(console: Console) -> PageResult {
    let (found, missed) = of_each(&console, manager).await?;
    let managers: Vec<Manager> = found.into_iter().map(|(_, manager)| manager).collect();
    let content = html! {
        div.stack #queues data-live {
            (not_seen(&console, &missed))
            @for manager in managers.iter().filter(|manager| manager.suspended.contains(&ALL)) {
                (banner(Tone::Warn, html! { (console.fill(&words::ALL_SUSPENDED, &[("namespace", &manager.ns.name)])) }))
            }
            (figures(&console, &managers))
            (rows(&console, &managers))
            (backlog(&console, &managers))
        }
    };
    let actions = html! { div #queue-actions data-live { (switch_all(&console, &managers)) } };
    Ok(console.show(View { title: console.say(&words::QUEUES), above: &[], actions, content }))
}

async fn manager(there: Api) -> Result<Manager, ApiError> {
    let ns = there.namespace();
    let count = i64::try_from(there.kernel().task_config().workers.len()).unwrap_or(0);
    let look = Look { queues: count, now: there.kernel().env().clock.wall() };
    let queues = there.read(&tasks::STATE, look).await?.out;
    let suspended = there.read(&tasks::SUSPENSIONS, ()).await?.out;
    let here = there.dispatcher().map(|dispatcher| dispatcher.running(&ns.name)).unwrap_or_default();
    let mut names = BTreeMap::new();
    if !here.is_empty() {
        let search = Search { state: Some(State::Running), limit: 100, ..Search::default() };
        let found = there.read(&tasks::PAGE, search).await?.out.tasks;
        names.extend(found.into_iter().map(|task| (task.id, task.op)));
    }
    let running = here.into_iter().map(|(id, attempt)| Run { id, attempt, op: names.remove(&id) }).collect();
    Ok(Manager { ns: ns.clone(), queues, suspended, running })
}

fn figures(console: &Console, managers: &[Manager]) -> Markup {
    let sum = |of: fn(&QueueState) -> i64| managers.iter().flat_map(|manager| manager.queues.values()).map(of).sum();
    let stat = |label: &Text, value: i64, tone: Tone, state: Option<&str>| Stat {
        label: console.say(label).to_owned(),
        value: counted(console, value),
        hint: html! {},
        tone: if value > 0 { tone } else { Tone::Quiet },
        // What is counted here is everybody's.
        href: state.map(|state| link(&console.at("tasks"), &[("state", Some(state)), ("whose", Some("all"))])),
    };
    let calls = console.dispatcher().map_or(0, kernel::tasks::Dispatcher::calls);
    let calls = stat(&words::CALLS_HERE, i64::try_from(calls).unwrap_or(i64::MAX), Tone::Info, None);
    stats(&[
        stat(&words::DUE, sum(|queue| queue.due), Tone::Quiet, Some("waiting")),
        stat(&words::RUNNING, sum(|queue| queue.running), Tone::Info, Some("running")),
        stat(&words::LATER, sum(|queue| queue.later), Tone::Quiet, Some("waiting")),
        stat(&words::PARKED, sum(|queue| queue.parked), Tone::Bad, Some("parked")),
        Stat { hint: html! { (console.say(&words::CALLS_HINT)) }, ..calls },
    ])
}

fn rows(console: &Console, managers: &[Manager]) -> Markup {
    let everywhere = console.at_administration();
    let mut columns = vec![
        Column(console.say(&task_words::QUEUE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::WORKERS), Holds::Text),
        Column(console.say(&words::DUE), Holds::Numbers),
        Column(console.say(&words::RUNNING), Holds::Numbers),
        Column(console.say(&words::LATER), Holds::Numbers),
        Column(console.say(&words::PARKED), Holds::Numbers),
        Column(console.say(&words::NEXT_START), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    if everywhere {
        columns.insert(0, Column(console.say(&common::NAMESPACE), Holds::Text));
    }
    let rows: Vec<Row> = managers
        .iter()
        .flat_map(|manager| manager.queues.iter().map(move |(queue, state)| (manager, *queue, state)))
        .map(|(manager, queue, state)| row(console, manager, queue, state))
        .collect();
    table(console.say(&words::QUEUES), &columns, &rows)
}

fn row(console: &Console, manager: &Manager, queue: i64, state: &QueueState) -> Row {
    let name = &manager.ns.name;
    let count = |count: i64, state: &str| {
        let number = queue.to_string();
        let list = format!("/console/{name}/tasks");
        let href = link(&list, &[("state", Some(state)), ("queue", Some(number.as_str())), ("whose", Some("all"))]);
        html! { @if count > 0 { a href=(href) { (counted(console, count)) } } @else { "0" } }
    };
    let mut cells = vec![
        html! { (queue_name(console, queue)) },
        lit(console, state.suspended),
        workers(console, name, queue),
        count(state.due, "waiting"),
        count(state.running, "running"),
        count(state.later, "waiting"),
        count(state.parked, "parked"),
        html! { @if let Some(at) = state.next_at { (console.moment(at)) } },
        switch(console, manager, queue),
    ];
    if console.at_administration() {
        cells.insert(0, html! { a href={ "/console/" (name) "/queues" } { (name) } });
    }
    let tone = if state.suspended { Some(Tone::Warn) } else { None };
    Row::of(cells).tone(tone).key(format!("{name}.{queue}"))
}

fn lit(console: &Console, suspended: bool) -> Markup {
    let (tone, text) = if suspended { (Tone::Warn, &words::SUSPENDED) } else { (Tone::Good, &words::WORKS) };
    badge(tone, console.say(text))
}

fn workers(console: &Console, namespace: &str, queue: i64) -> Markup {
    let config = console.kernel().task_config();
    let all = usize::try_from(queue).ok().and_then(|queue| config.workers.get(queue)).copied().unwrap_or(0);
    let busy = console.dispatcher().map_or(0, |dispatcher| dispatcher.busy_in(namespace, Some(queue)));
    html! { (console.fill(&words::WORKERS_BUSY, &[("busy", &busy), ("all", &all)])) }
}

/// Suspends or resumes one queue. While all are suspended only the switch of all helps, so this one offers nothing that would
/// seem to do nothing.
fn switch(console: &Console, manager: &Manager, queue: i64) -> Markup {
    let (number, namespace) = (queue.to_string(), &manager.ns.name);
    let form = |label, text| console.form_in(namespace, label, text).with("n", &number);
    if manager.suspended.contains(&queue) {
        let form = form("POST /v1/{ns}/queues/{n}/resume", &words::RESUME).tone(Tone::Good);
        return html! { (form.done(console.say(&words::IS_RESUMED))) };
    }
    if manager.suspended.contains(&ALL) {
        return html! {};
    }
    let question =
        console.fill(&words::SUSPEND_SURE, &[("queue", &queue_name(console, queue)), ("namespace", namespace)]);
    let form = form("POST /v1/{ns}/queues/{n}/suspend", &words::SUSPEND).confirm(question);
    html! { (form.done(console.say(&words::IS_SUSPENDED))) }
}

/// The switch of the whole manager; at the administrators' namespace, of the whole server.
fn switch_all(console: &Console, managers: &[Manager]) -> Markup {
    let whole = console.at_administration();
    let (suspend, resume, question) = if whole {
        (&words::SUSPEND_SERVER, &words::RESUME_SERVER, &words::SUSPEND_SERVER_SURE)
    } else {
        (&words::SUSPEND_ALL, &words::RESUME_ALL, &words::SUSPEND_ALL_SURE)
    };
    let all_are = |manager: &Manager| manager.suspended.contains(&ALL);
    let resume = console.form("POST /v1/{ns}/queues/resume", resume).tone(Tone::Good);
    let resume: Form = resume.done(console.say(&words::IS_RESUMED));
    let question = console.fill(question, &[("namespace", &console.namespace().name)]);
    let suspend = console.form("POST /v1/{ns}/queues/suspend", suspend).tone(Tone::Bad).confirm(question);
    html! {
        @if managers.iter().any(all_are) { (resume) }
        @if !managers.iter().all(all_are) { (suspend.done(console.say(&words::IS_SUSPENDED))) }
    }
}

/// What runs on this node right now.
fn backlog(console: &Console, managers: &[Manager]) -> Markup {
    if console.dispatcher().is_none() {
        return card(console.say(&words::BACKLOG), html! {}, empty(console.say(&words::RUNS_NO_TASKS), html! {}));
    }
    let running: Vec<_> =
        managers.iter().flat_map(|manager| manager.running.iter().map(move |run| (&manager.ns.name, run))).collect();
    let shown = running.len().min(SHOWN_MAX);
    let aside = html! {
        @if shown < running.len() { (console.fill(&words::ONLY_FIRST, &[("shown", &shown), ("all", &running.len())])) }
    };
    let content = html! {
        @if running.is_empty() {
            (empty(console.say(&words::NOTHING_RUNS), html! { p { (console.say(&words::NOTHING_RUNS_HINT)) } }))
        } @else {
            (running_rows(console, &running[..shown]))
        }
    };
    card(console.say(&words::RUNNING_HERE), aside, content)
}

fn running_rows(console: &Console, running: &[(&String, &Run)]) -> Markup {
    let columns = [
        Column(console.say(&common::NAMESPACE), Holds::Text),
        Column(console.say(&task_words::TASK), Holds::Text),
        Column(console.say(&task_words::OPERATION), Holds::Text),
        Column(console.say(&task_words::ATTEMPT), Holds::Numbers),
    ];
    let row = |(namespace, Run { id, attempt, op }): &(&String, &Run)| {
        let cells = vec![
            html! { (namespace) },
            crate::ui::parts::id_link(&address(namespace, id), id),
            html! { @if let Some(op) = op { (op) } },
            html! { (attempt) },
        ];
        Row::of(cells).key(id.to_string())
    };
    let rows: Vec<Row> = running.iter().map(row).collect();
    table(console.say(&words::RUNNING_HERE), &columns, &rows)
}
