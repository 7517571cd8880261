//! The database on a thread of its own, which is waited for a bounded time.
//!
//! A thread that does not answer in time is left alone: it ends when its statement does, and its connection, with the transaction, ends
//! with it. Nothing is ever committed by it afterwards, because a commit is a job of its own.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::database::Database;
use crate::settings::Settings;
use crate::world;

type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// Where jobs for the database are handed in.
pub(crate) struct Desk {
    settings: Arc<Settings>,
    jobs: Option<Sender<Job>>,
    patience: Duration,
}

impl Desk {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        let patience = Duration::from_secs(settings.patience_s.into());
        Self { settings, jobs: None, patience }
    }

    /// What a job gives; an error says that none came in time.
    pub(crate) async fn ask<T: Send + 'static>(
        &mut self,
        job: impl FnOnce(&mut Database) -> T + Send + 'static,
    ) -> Result<T, String> {
        let (tell, told) = oneshot::channel();
        // Whoever asked may have gone.
        let job: Job = Box::new(move |database| drop(tell.send(job(database))));
        self.hand_in(job)?;
        let failed = match tokio::time::timeout(self.patience, told).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(_)) => "the work in the database broke off".to_owned(),
            Err(_) => format!("the database did not answer within {} s", self.patience.as_secs()),
        };
        self.jobs = None;
        Err(failed)
    }

    fn hand_in(&mut self, job: Job) -> Result<(), String> {
        let job = match &self.jobs {
            None => job,
            Some(jobs) => match jobs.send(job) {
                Ok(()) => return Ok(()),
                Err(unsent) => unsent.0,
            },
        };
        let (jobs, waiting) = channel::<Job>();
        let mut database = Database::new(Arc::clone(&self.settings));
        let work = move || waiting.into_iter().for_each(|job| job(&mut database));
        world::thread(work).map_err(|error| format!("no thread for the database: {error}"))?;
        // The thread was just made and listens.
        let _ = jobs.send(job);
        self.jobs = Some(jobs);
        Ok(())
    }
}
