//! Jobs that do one thing with many processes.

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::find::Find;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::Body;
use crate::local;
use crate::output::{Column, bar, flag, json as json_column, moment as time, number, state, text};
use crate::page::List;
use crate::session::Session;

/// Between two looks at a job.
const LOOK: std::time::Duration = std::time::Duration::from_millis(500);

/// What can be done with jobs.
#[derive(Debug, Subcommand)]
pub(crate) enum JobVerb {
    /// Do one thing with all processes that a search finds
    #[command(
        after_help = "Examples:\n  fastness workflow job start restart --state broken --type order --rate 50 --dry-run\n  fastness workflow job start restart-from --actor 'pay#1' --state broken --from-actor 'pay#1' --yes --watch\n  fastness workflow job start recover --yes\n  fastness workflow job start analyse --type order"
    )]
    Start(Box<StartJob>),
    /// List jobs, newest first
    #[command(after_help = "Examples:\n  fastness workflow job list")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a job and how far it is
    #[command(after_help = "Examples:\n  fastness workflow job show 17")]
    Show {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
    },
    /// Watch a job until it is over
    #[command(after_help = "Examples:\n  fastness workflow job watch 17")]
    Watch {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
    },
    /// List what a job did with each process
    #[command(after_help = "Examples:\n  fastness workflow job results 17 --all")]
    Results {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
        #[command(flatten)]
        paging: Paging,
    },
    /// Pause a job: nothing more is changed until it goes on
    #[command(after_help = "Examples:\n  fastness workflow job pause 17")]
    Pause {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
    },
    /// Go on with a job that was paused
    #[command(after_help = "Examples:\n  fastness workflow job resume 17")]
    Resume {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
    },
    /// Cancel a job; what is done stays done
    #[command(after_help = "Examples:\n  fastness workflow job cancel 17")]
    Cancel {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
    },
    /// Change the rate or the priority of a job
    #[command(
        after_help = "Examples:\n  fastness workflow job change 17 --rate 500\n  fastness workflow job change 17 --priority -10"
    )]
    Change {
        /// Number of the job
        #[arg(value_name = "JOB")]
        job: i64,
        /// Processes that are changed in a second at most
        #[arg(long, value_name = "N")]
        rate: Option<i64>,
        /// Jobs of a lower one wait, -100 to 100
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        priority: Option<i64>,
    },
}

/// A job to start.
#[derive(Debug, clap::Args)]
pub(crate) struct StartJob {
    /// What is done with each process
    #[arg(value_name = "ACTION", value_parser = ["recover", "analyse", "restart", "restart-from", "retry-broken", "abort", "clone"])]
    action: String,
    #[command(flatten)]
    find: Find,
    /// For restart-from: from the first task of this actor
    #[arg(long, value_name = "ACTOR")]
    from_actor: Option<String>,
    /// For restart-from: from the first task of this method
    #[arg(long, value_name = "METHOD")]
    from_method: Option<String>,
    /// For restart-from: from the task that its decision called so
    #[arg(long, value_name = "ID")]
    from_id: Option<String>,
    /// Processes that are changed in a second at most [default: 100]
    #[arg(long, value_name = "N")]
    rate: Option<i64>,
    /// Jobs of a lower one wait, -100 to 100 [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<i64>,
    /// Change nothing: list what would be done
    #[arg(long)]
    dry_run: bool,
    /// Watch it until it is over
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    sure: Sure,
}

const JOBS: List<'_> = List {
    what: "jobs",
    id: "/job",
    columns: &[
        number("JOB", "/job"),
        text("ACTION", "/wish/action"),
        state("STATE", "/state"),
        number("%", "/percent"),
        number("FOUND", "/found"),
        number("CHANGED", "/repaired"),
        number("SKIPPED", "/skipped"),
        number("FAILED", "/failed"),
        number("RATE", "/rate"),
        flag("DRY", "/wish/dry_run"),
        time("CREATED", "/created_at"),
        text("BY", "/created_by"),
    ],
};

const JOB: &[Column] = &[
    number("job", "/job"),
    text("action", "/wish/action"),
    json_column("search", "/wish/search"),
    flag("dry run", "/wish/dry_run"),
    state("state", "/state"),
    number("percent", "/percent"),
    number("examined", "/examined"),
    number("found", "/found"),
    number("changed", "/repaired"),
    number("skipped", "/skipped"),
    number("failed", "/failed"),
    number("about to come", "/remaining"),
    number("rate", "/rate"),
    number("priority", "/priority"),
    number("waits for job", "/waits_for"),
    time("created", "/created_at"),
    text("by", "/created_by"),
    time("ended", "/ended_at"),
];

const RESULTS: List<'_> = List {
    what: "results",
    id: "/process_id",
    columns: &[text("PROCESS", "/process_id"), state("OUTCOME", "/outcome"), text("TEXT", "/text")],
};

impl JobVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Start(start) => start.start(session).await,
            Self::List { paging } => JOBS.paged(session, Request::get(&["workflow", "jobs"]), &paging).await,
            Self::Show { job } => session.out.show(&looked_at(session, job).await?, JOB, "/job"),
            Self::Watch { job } => watch(session, job).await,
            Self::Results { job, paging } => {
                let request = Request::get(&["workflow", "jobs", &job.to_string(), "results"]);
                RESULTS.paged(session, request, &paging).await
            }
            Self::Pause { job } => control(session, job, "pause", "is paused").await,
            Self::Resume { job } => control(session, job, "resume", "goes on").await,
            Self::Cancel { job } => control(session, job, "cancel", "is cancelled").await,
            Self::Change { job, rate, priority } => change(session, job, rate, priority).await,
        }
    }
}

async fn looked_at(session: &Session, job: i64) -> Result<Value, Failure> {
    session.get(Request::get(&["workflow", "jobs", &job.to_string()])).await
}

async fn control(session: &Session, job: i64, verb: &str, said: &str) -> Done {
    let done = session.change(Request::new("POST", &["workflow", "jobs", &job.to_string(), verb])).await?;
    session.out.done(&done, &format!("job {job} {said}"), None)
}

async fn change(session: &Session, job: i64, rate: Option<i64>, priority: Option<i64>) -> Done {
    let body = Body::default().with("rate", rate).with("priority", priority);
    if body.is_empty() {
        return Err(Failure::usage("nothing to change: --rate or --priority"));
    }
    let request = Request::new("PATCH", &["workflow", "jobs", &job.to_string()]).json(&body.value());
    let done = session.change(request).await?;
    session.out.done(&done, &format!("job {job} is changed"), None)
}

/// Says how far it is whenever that changed; shows it when it is over.
async fn watch(session: &Session, number: i64) -> Done {
    let mut said = String::new();
    loop {
        let job = looked_at(session, number).await?;
        let far = far(&job);
        if far != said {
            session.out.remark(&far);
            said = far;
        }
        if matches!(job["state"].as_str(), Some("DONE" | "CANCELLED")) {
            return session.out.show(&job, JOB, "/job");
        }
        local::pause(LOOK).await;
    }
}

/// How far a job is, for people.
fn far(job: &Value) -> String {
    let count = |name: &str| job[name].as_i64().unwrap_or(0);
    let percent = u64::try_from(count("percent")).unwrap_or(0);
    let waits = job["waits_for"].as_i64().map(|other| format!(", waits for job {other}")).unwrap_or_default();
    let about = job["remaining"].as_i64().map(|left| format!(", about {left} to come")).unwrap_or_default();
    let state = job["state"].as_str().unwrap_or_default();
    let (found, changed, failed) = (count("found"), count("repaired"), count("failed"));
    format!("{} {state}: {found} found, {changed} changed, {failed} failed{about}{waits}", bar(percent, 100))
}

impl StartJob {
    async fn start(self, session: &Session) -> Done {
        let action = self.action.replace('-', "_");
        if !self.dry_run && action != "analyse" {
            session
                .confirm(self.sure, &format!("{} all processes that this finds: {}", self.action, self.find.value()))?;
        }
        let task =
            Body::default().with("actor", self.from_actor).with("method", self.from_method).with("id", self.from_id);
        let body = Body::default()
            .with("action", Some(action))
            .with("search", Some(self.find.value()))
            .with("task", (!task.is_empty()).then(|| task.value()))
            .with("rate", self.rate)
            .with("priority", self.priority)
            .with("dry_run", Some(json!(self.dry_run)));
        let made = session.change(Request::new("POST", &["workflow", "jobs"]).json(&body.value())).await?;
        let job = made["job"].as_i64().unwrap_or_default();
        if !self.watch {
            return session.out.done(&made, &format!("job {job} is started"), Some("/job"));
        }
        session.out.remark(&format!("job {job} is started"));
        watch(session, job).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_16_progress_is_a_bar_with_what_was_found_and_done() {
        let job = json!({"state": "RUNNING", "percent": 50, "found": 10, "repaired": 8, "failed": 1, "remaining": 9});
        assert_eq!(far(&job), "[##########..........] 50 % RUNNING: 10 found, 8 changed, 1 failed, about 9 to come");
        assert!(far(&json!({"state": "RUNNING", "waits_for": 3})).ends_with("waits for job 3"));
    }
}
