//! Whatever the API can do, a person can do at a terminal, or there is a reason why not (KER-36).

use serde_json::Value;

use crate::kit::{Kit, bare, ran};

/// What only programs do, and why.
const FOR_PROGRAMS: &[(&str, &str)] = &[
    ("GET /", "pages and answers for machines: `fastness status` asks them"),
    ("GET /assets/", "parts of pages"),
    ("GET /console", "pages"),
    ("GET /docs", "pages"),
    ("GET /healthz", "for whoever restarts the process"),
    ("GET /metrics", "for Prometheus"),
    ("GET /openapi.json", "for programs that make programs"),
    ("GET /readyz", "`fastness status` asks it"),
    ("GET /v1/{ns}/blobs", "bytes are given with the documents and files that name them; the overview counts them"),
    ("PUT /v1/{ns}/blobs/", "bytes are put with the documents and files that name them"),
    ("POST /v1/{ns}/docs/live", "a stream for copies"),
    ("GET /v1/{ns}/events", "a stream for programs"),
    ("GET /v1/{ns}/rates", "drawn by the console; the counters are listed"),
    ("GET /v1/{ns}/resources/", "read by anybody without a key"),
    ("PUT /v1/{ns}/sessions/password", "a person's own, changed where it was typed: in the console"),
    ("POST /v1/{ns}/exchange/activate", "a device's first word"),
    ("GET /v1/{ns}/exchange/messages", "a device's own"),
    ("POST /v1/{ns}/exchange/messages", "a device's own"),
    ("POST /v1/{ns}/exchange/processes", "the handshake of a database: `fastness exchange connect` plays it"),
    ("POST /v1/{ns}/workflow/poll", "a worker's own"),
    ("POST /v1/{ns}/workflow/heartbeat", "a worker's own"),
    ("POST /v1/{ns}/workflow/release", "a worker's own"),
];

/// Which command does what; `*` stands for anything.
const COMMANDS: &[(&str, &str)] = &[
    ("GET /v1/{ns}/accounts", "admin account list"),
    ("POST /v1/{ns}/accounts", "admin account create"),
    ("DELETE /v1/{ns}/accounts/{name}", "admin account delete"),
    ("GET /v1/{ns}/accounts/{name}", "admin account show"),
    ("PATCH /v1/{ns}/accounts/{name}", "admin account change"),
    ("GET /v1/{ns}/alert-channels", "admin channel list"),
    ("PUT /v1/{ns}/alert-channels", "admin channel set"),
    ("GET /v1/{ns}/alert-messages", "admin message list"),
    ("GET /v1/{ns}/alerts", "admin alert list"),
    ("POST /v1/{ns}/alerts/{id}/acknowledge", "admin alert acknowledge"),
    ("GET /v1/{ns}/counters", "admin counter list"),
    ("GET /v1/{ns}/doc-classes", "documents class list"),
    ("POST /v1/{ns}/doc-classes", "documents class declare"),
    ("GET /v1/{ns}/docs", "documents class list"),
    ("POST /v1/{ns}/docs/export", "documents document export"),
    ("GET /v1/{ns}/docs/{class}", "documents document list"),
    ("GET /v1/{ns}/docs/{class}/{id}", "documents document get"),
    ("GET /v1/{ns}/docs/{class}/{id}/changes", "documents document changes"),
    ("DELETE /v1/{ns}/docs/{class}/{id}/attachments/{key}", "documents attachment delete"),
    ("GET /v1/{ns}/docs/{class}/{id}/attachments/{key}", "documents attachment get"),
    ("PUT /v1/{ns}/docs/{class}/{id}/attachments/{key}", "documents attachment put"),
    ("GET /v1/{ns}/exchange/companies", "exchange company list"),
    ("POST /v1/{ns}/exchange/companies", "exchange company create"),
    ("PATCH /v1/{ns}/exchange/companies/{id}", "exchange company change"),
    ("GET /v1/{ns}/exchange/databases", "exchange database list"),
    ("POST /v1/{ns}/exchange/databases", "exchange database create"),
    ("GET /v1/{ns}/exchange/devices", "exchange device list"),
    ("POST /v1/{ns}/exchange/devices", "exchange device create"),
    ("PATCH /v1/{ns}/exchange/devices/{id}", "exchange device change"),
    ("GET /v1/{ns}/exchange/devices/{id}", "exchange device show"),
    ("POST /v1/{ns}/exchange/devices/{id}/block", "exchange device block"),
    ("POST /v1/{ns}/exchange/devices/{id}/code", "exchange device code"),
    ("POST /v1/{ns}/exchange/devices/{id}/unblock", "exchange device unblock"),
    ("GET /v1/{ns}/exchange/files/{name}", "exchange message get"),
    ("POST /v1/{ns}/exchange/files/{name}/requeue", "exchange message requeue"),
    ("GET /v1/{ns}/exchange/folders", "exchange message list"),
    ("GET /v1/{ns}/exchange/ledger", "exchange ledger show"),
    ("GET /v1/{ns}/exchange/processes", "exchange process list"),
    ("GET /v1/{ns}/exchange/processes/unresolved", "exchange process list"),
    ("GET /v1/{ns}/exchange/processes/{id}", "exchange process show"),
    ("POST /v1/{ns}/exchange/processes/{id}/resolve", "exchange process resolve"),
    ("POST /v1/{ns}/exchange/processes/{id}/resume", "exchange process resume"),
    ("GET /v1/{ns}/exchange/statistics", "exchange statistics show"),
    ("GET /v1/{ns}/exchange/subsystems", "exchange subsystem list"),
    ("POST /v1/{ns}/exchange/subsystems", "exchange subsystem create"),
    ("PATCH /v1/{ns}/exchange/subsystems/{id}", "exchange subsystem change"),
    ("GET /v1/{ns}/search", "search"),
    ("GET /v1/{ns}/folders/directories", "folders directory list"),
    ("POST /v1/{ns}/folders/directories", "folders create"),
    ("DELETE /v1/{ns}/folders/directories/{id}", "folders directory delete"),
    ("GET /v1/{ns}/folders/directories/{id}", "folders directory show"),
    ("PATCH /v1/{ns}/folders/directories/{id}", "folders directory change"),
    ("GET /v1/{ns}/folders/directories/{id}/devices", "folders device list"),
    ("DELETE /v1/{ns}/folders/directories/{id}/devices/{who}", "folders device forget"),
    ("GET /v1/{ns}/folders/directories/{id}/files", "folders file list"),
    ("GET /v1/{ns}/folders/directories/{id}/locks", "folders lock list"),
    ("GET /v1/{ns}/folders/directories/{id}/members", "folders member list"),
    ("POST /v1/{ns}/folders/directories/{id}/members", "folders member set"),
    ("DELETE /v1/{ns}/folders/directories/{id}/members/{who}", "folders member remove"),
    ("POST /v1/{ns}/folders/directories/{id}/restore", "folders directory restore"),
    ("POST /v1/{ns}/folders/directories/{id}/undo", "folders directory undo"),
    ("GET /v1/{ns}/folders/files/{id}", "folders file show"),
    ("GET /v1/{ns}/folders/files/{id}/content", "folders file get"),
    ("GET /v1/{ns}/folders/files/{id}/history", "folders file history"),
    ("POST /v1/{ns}/folders/files/{id}/restore", "folders file restore"),
    ("GET /v1/{ns}/journal", "admin journal list"),
    ("GET /v1/{ns}/keys", "admin key list"),
    ("POST /v1/{ns}/keys", "admin key create"),
    ("DELETE /v1/{ns}/keys/{id}", "admin key revoke"),
    ("PATCH /v1/{ns}/keys/{id}", "admin key change"),
    ("POST /v1/{ns}/keys/{id}/rotate", "admin key rotate"),
    ("GET /v1/{ns}/namespaces", "admin namespace list"),
    ("POST /v1/{ns}/namespaces", "admin namespace create"),
    ("DELETE /v1/{ns}/namespaces/{name}", "admin namespace delete"),
    ("GET /v1/{ns}/namespaces/{name}", "admin namespace show"),
    ("PATCH /v1/{ns}/namespaces/{name}", "admin namespace change"),
    ("GET /v1/{ns}/namespaces/{name}/export", "namespace export"),
    ("GET /v1/{ns}/namespaces/{name}/grants", "admin grant list"),
    ("POST /v1/{ns}/namespaces/{name}/import", "namespace import"),
    ("POST /v1/{ns}/namespaces/{name}/move", "namespace move"),
    ("GET /v1/{ns}/namespaces/{name}/resources", "admin resource list"),
    ("DELETE /v1/{ns}/namespaces/{name}/resources/{path}", "admin resource delete"),
    ("PUT /v1/{ns}/namespaces/{name}/resources/{path}", "admin resource put"),
    ("DELETE /v1/{ns}/namespaces/{name}/transfer", "namespace cancel"),
    ("GET /v1/{ns}/namespaces/{name}/transfer", "namespace status"),
    ("DELETE /v1/{ns}/namespaces/{owner}/grants/{reader}/{class}", "admin grant take"),
    ("GET /v1/{ns}/namespaces/{owner}/grants/{reader}/{class}", "admin grant list"),
    ("PUT /v1/{ns}/namespaces/{owner}/grants/{reader}/{class}", "admin grant give"),
    ("POST /v1/{ns}/op/{name}", "documents operation run"),
    ("GET /v1/{ns}/overview", "admin overview show"),
    ("GET /v1/{ns}/queues", "tasks queue list"),
    ("POST /v1/{ns}/queues/resume", "tasks queue resume"),
    ("POST /v1/{ns}/queues/suspend", "tasks queue suspend"),
    ("POST /v1/{ns}/queues/{n}/resume", "tasks queue resume"),
    ("POST /v1/{ns}/queues/{n}/suspend", "tasks queue suspend"),
    ("GET /v1/{ns}/sensor-clients", "sensors client list"),
    ("POST /v1/{ns}/sensor-clients", "sensors client create"),
    ("DELETE /v1/{ns}/sensor-clients/{id}", "sensors client delete"),
    ("GET /v1/{ns}/sensor-clients/{id}", "sensors client show"),
    ("PATCH /v1/{ns}/sensor-clients/{id}", "sensors client change"),
    ("GET /v1/{ns}/sensor-clients/{id}/events", "sensors client events"),
    ("GET /v1/{ns}/sensor-clients/{id}/notifications", "sensors client notifications"),
    ("POST /v1/{ns}/sensor-clients/{id}/replay", "sensors client replay"),
    ("POST /v1/{ns}/sensor-clients/{id}/rotate", "sensors client rotate"),
    ("GET /v1/{ns}/sensor-clients/{id}/sensors", "sensors client sensors"),
    ("DELETE /v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}", "sensors link remove"),
    ("PUT /v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}", "sensors link add"),
    ("GET /v1/{ns}/sensor-history", "sensors history list"),
    ("GET /v1/{ns}/sensor-imports", "sensors import list"),
    ("DELETE /v1/{ns}/sensor-imports/{import_id}", "sensors import cancel"),
    ("GET /v1/{ns}/sensor-imports/{import_id}", "sensors import show"),
    ("POST /v1/{ns}/sensor-links/import", "sensors import links"),
    ("GET /v1/{ns}/sensor-notifications", "sensors notification list"),
    ("GET /v1/{ns}/sensors", "sensors sensor list"),
    ("GET /v1/{ns}/sensors/addresses", "sensors address list"),
    ("POST /v1/{ns}/sensors/import", "sensors import sensors"),
    ("GET /v1/{ns}/sensors/unknown", "sensors unknown list"),
    ("DELETE /v1/{ns}/sensors/{id}", "sensors sensor delete"),
    ("GET /v1/{ns}/sensors/{id}", "sensors sensor show"),
    ("PUT /v1/{ns}/sensors/{id}", "sensors sensor put"),
    ("GET /v1/{ns}/sensors/{id}/clients", "sensors sensor show"),
    ("GET /v1/{ns}/sensors/{id}/history", "sensors sensor history"),
    ("DELETE /v1/{ns}/sessions", "logout"),
    ("GET /v1/{ns}/sessions", "admin session whoami"),
    ("POST /v1/{ns}/sessions", "login"),
    ("POST /v1/{ns}/signals", "sensors signal send"),
    ("GET /v1/{ns}/signals/rejected", "sensors rejected list"),
    ("GET /v1/{ns}/stuck", "tasks stuck list"),
    ("GET /v1/{ns}/tasks", "tasks task list"),
    ("POST /v1/{ns}/tasks", "tasks task create"),
    ("DELETE /v1/{ns}/tasks/{id}", "tasks task delete"),
    ("GET /v1/{ns}/tasks/{id}", "tasks task show"),
    ("POST /v1/{ns}/tasks/{id}/done", "tasks task done"),
    ("POST /v1/{ns}/tasks/{id}/move", "tasks task move"),
    ("POST /v1/{ns}/tasks/{id}/run", "tasks task run"),
    ("POST /v1/{ns}/webhook-secret", "admin secret show"),
    ("GET /v1/{ns}/workflow/actors", "workflow actor list"),
    ("GET /v1/{ns}/workflow/actors/{id}", "workflow actor show"),
    ("PATCH /v1/{ns}/workflow/actors/{id}", "workflow actor set"),
    ("GET /v1/{ns}/workflow/broken", "workflow broken list"),
    ("GET /v1/{ns}/workflow/broken/tasks", "workflow broken tasks"),
    ("POST /v1/{ns}/workflow/broken/{task}/retry", "workflow broken retry"),
    ("GET /v1/{ns}/workflow/jobs", "workflow job list"),
    ("POST /v1/{ns}/workflow/jobs", "workflow job start"),
    ("GET /v1/{ns}/workflow/jobs/{id}", "workflow job show"),
    ("PATCH /v1/{ns}/workflow/jobs/{id}", "workflow job change"),
    ("POST /v1/{ns}/workflow/jobs/{id}/cancel", "workflow job cancel"),
    ("POST /v1/{ns}/workflow/jobs/{id}/pause", "workflow job pause"),
    ("GET /v1/{ns}/workflow/jobs/{id}/results", "workflow job results"),
    ("POST /v1/{ns}/workflow/jobs/{id}/resume", "workflow job resume"),
    ("GET /v1/{ns}/workflow/processes", "workflow process list"),
    ("POST /v1/{ns}/workflow/processes", "workflow process start"),
    ("GET /v1/{ns}/workflow/processes/{id}", "workflow process show"),
    ("POST /v1/{ns}/workflow/processes/{id}/abort", "workflow process abort"),
    ("POST /v1/{ns}/workflow/processes/{id}/clone", "workflow process clone"),
    ("GET /v1/{ns}/workflow/processes/{id}/history", "workflow process history"),
    ("POST /v1/{ns}/workflow/processes/{id}/restart", "workflow process restart"),
    ("POST /v1/{ns}/workflow/processes/{id}/signal", "workflow process signal"),
    ("GET /v1/{ns}/workflow/processes/{id}/tasks", "workflow process tasks"),
    ("GET /v1/{ns}/workflow/schedules", "workflow schedule list"),
    ("POST /v1/{ns}/workflow/schedules", "workflow schedule create"),
    ("DELETE /v1/{ns}/workflow/schedules/{id}", "workflow schedule delete"),
    ("GET /v1/{ns}/workflow/schedules/{id}", "workflow schedule show"),
    ("PATCH /v1/{ns}/workflow/schedules/{id}", "workflow schedule change"),
    ("GET /v1/{ns}/workflow/searches", "workflow search list"),
    ("POST /v1/{ns}/workflow/searches", "workflow search save"),
    ("DELETE /v1/{ns}/workflow/searches/{name}", "workflow search delete"),
    ("GET /v1/{ns}/workflow/types", "workflow type list"),
    ("PATCH /v1/{ns}/workflow/types/{id}", "workflow type set"),
];

/// All that the API offers, as `GET /v1/{ns}/tasks`.
fn actions(kit: &Kit) -> Vec<String> {
    let described = kit.server.client().get("/openapi.json").expect("an answer").body;
    let paths = described["paths"].as_object().expect("paths").clone();
    let of = |(path, methods): (String, Value)| {
        let methods: Vec<String> =
            methods.as_object().expect("methods").keys().map(|name| name.to_uppercase()).collect();
        methods.into_iter().map(move |method| format!("{method} {path}")).collect::<Vec<_>>()
    };
    paths.into_iter().flat_map(of).collect()
}

#[test]
fn ker_36_every_action_of_the_api_has_a_command_or_a_reason() {
    let kit = Kit::start();
    let actions = actions(&kit);
    assert!(actions.len() > 150, "{} actions", actions.len());
    for action in &actions {
        let commands = COMMANDS.iter().filter(|(known, _)| known == action).count();
        let reasons = FOR_PROGRAMS
            .iter()
            .any(|(begin, _)| *begin == "GET /" && action == "GET /" || *begin != "GET /" && action.starts_with(begin));
        assert!(commands == 1 || (commands == 0 && reasons), "{action}: {commands} commands");
    }
    for (action, _) in COMMANDS {
        assert!(actions.iter().any(|known| known == action), "{action} is gone");
    }
}

#[test]
fn ker_36_the_commands_of_all_actions_are_there() {
    let reference = ran(bare().arg("help-markdown"), "").out;
    for (action, command) in COMMANDS {
        let is_there = [" ", "`"].iter().any(|end| reference.contains(&format!("\n**`fastness {command}{end}")));
        assert!(is_there, "{action}: no command `{command}`");
    }
}
