//! Calls of documents (DOC-6): named operations, of which commit, get, search and sync are built in.

use std::collections::VecDeque;

use base::codes;
use replica::{Held, Upgrade};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{Call, Reply};
use crate::client::Client;
use crate::error::{ApiError, ClientError};
use crate::files::Downloaded;
use crate::replica::{Answer, Ask, Replica, Taken};
use crate::words::{Change, Document, Search, SearchPage};

/// Documents that a server may refuse before a synchronisation is given up: each costs some twenty calls to find.
const REFUSED_MAX: usize = 16;

/// The code of a refusal because there is no such document.
const NO_DOCUMENT: &str = "NDOC";

/// What an operation gave.
#[derive(Debug, Clone, PartialEq)]
pub struct OpAnswer {
    /// Its own result.
    pub out: Value,
    /// For the documents that were asked about, with the server's epoch; `None` if the server told none.
    pub answer: Option<Answer>,
    /// The version under which it was committed, if it changed something.
    pub version: Option<i64>,
    /// Whether this is the stored answer of an earlier try.
    pub replayed: bool,
    /// Documents that were asked about and that the server did not look at, as class and id: to be asked about again.
    pub left: Vec<(String, String)>,
}

/// What a synchronisation did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Synced {
    /// What was taken in.
    pub taken: Taken,
    /// Documents that the server refuses to answer for, as class and id, and why. [`Replica::start_again`] helps one that is
    /// ahead of the server.
    pub refused: Vec<(String, String, Box<ApiError>)>,
}

#[derive(Serialize)]
struct OpBody<'a, P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a P>,
    #[serde(skip_serializing_if = "<[Held]>::is_empty")]
    syncs: &'a [Held],
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<&'a str>,
}

#[derive(Deserialize)]
struct OpReply {
    #[serde(default)]
    out: Value,
    #[serde(default)]
    syncs: Vec<Upgrade>,
    #[serde(default)]
    left: Vec<Left>,
    #[serde(default)]
    epoch: Option<String>,
}

/// A document that the server did not look at, because its answer was large already.
#[derive(Deserialize)]
struct Left {
    c: String,
    id: String,
}

impl Client {
    /// Runs a named operation once, and asks about documents that it may have changed; [`Ask::default`] asks about none.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn op(&self, name: &str, param: &impl Serialize, ask: &Ask) -> Result<OpAnswer, ClientError> {
        self.run(name, Some(param), ask, true).await
    }

    /// Runs a named operation once, and brings level what the replica holds of the documents that it is about.
    ///
    /// # Errors
    /// See [`ClientError`]. If taking the answer in fails, the operation was done all the same.
    pub async fn op_synced(
        &self,
        name: &str,
        param: &impl Serialize,
        about: &[(&str, &str)],
        replica: &mut Replica,
    ) -> Result<OpAnswer, ClientError> {
        let ask = replica.ask_about(about.iter().copied())?;
        let done = self.op(name, param, &ask).await?;
        if let Some(answer) = &done.answer {
            replica.take(&ask.parted(&done.left).0, answer.clone())?;
        }
        Ok(done)
    }

    /// Changes documents, all or none; gives the version, or `None` if there was nothing to change.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn commit(&self, changes: &[Change]) -> Result<Option<i64>, ClientError> {
        let done = self.op("doc.commit", &serde_json::json!({ "changes": changes }), &Ask::default()).await?;
        Ok(committed(&done))
    }

    /// Changes documents, all or none, and brings level what the replica holds of them; gives the version, or `None`
    /// if there was nothing to change.
    ///
    /// # Errors
    /// See [`ClientError`]. If taking the answer in fails, the changes were made all the same.
    pub async fn commit_synced(&self, changes: &[Change], replica: &mut Replica) -> Result<Option<i64>, ClientError> {
        let about: Vec<_> = changes.iter().map(|change| (change.c.as_str(), change.id.as_str())).collect();
        let param = serde_json::json!({ "changes": changes });
        let done = self.op_synced("doc.commit", &param, &about, replica).await?;
        Ok(committed(&done))
    }

    /// Reads a document that may be so many seconds old; `None` if there is none.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn get(&self, class: &str, id: &str, tolerance_s: u32) -> Result<Option<Document>, ClientError> {
        let mut param = serde_json::json!({ "c": class, "id": id });
        if tolerance_s > 0 {
            param["tolerance_s"] = tolerance_s.into();
        }
        match self.run("doc.get", Some(&param), &Ask::default(), false).await {
            Ok(done) => read_out(done.out).map(Some),
            Err(ClientError::Api(error)) if error.code == NO_DOCUMENT => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Searches.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn search(&self, search: &Search) -> Result<SearchPage, ClientError> {
        read_out(self.run("doc.search", Some(search), &Ask::default(), false).await?.out)
    }

    /// Brings a replica level. What arrived before a failure stays, and a document that the server refuses does not hold the
    /// others up.
    ///
    /// # Errors
    /// See [`ClientError`]; also if the server refuses more than a few documents.
    pub async fn sync(&self, replica: &mut Replica) -> Result<Synced, ClientError> {
        let mut synced = Synced::default();
        let mut asks: VecDeque<Ask> = replica.asks()?.into();
        while let Some(ask) = asks.pop_front() {
            match self.run("doc.sync", None::<&()>, &ask, false).await {
                Ok(OpAnswer { answer: Some(answer), left, .. }) => {
                    let (answered, again) = ask.parted(&left);
                    if answered.syncs.is_empty() && !again.syncs.is_empty() {
                        return Err(unreadable("the server looked at nothing that it was asked about"));
                    }
                    synced.add(replica.take(&answered, answer)?);
                    asks.extend(Some(again).filter(|again| !again.syncs.is_empty()));
                }
                Ok(OpAnswer { answer: None, .. }) => return Err(unreadable("the answer tells no epoch")),
                Err(ClientError::Api(error)) if is_about_a_document(&error) => match ask.halves() {
                    Some(halves) => halves.into_iter().rev().for_each(|half| asks.push_front(half)),
                    None => synced.refuse(ask, error)?,
                },
                Err(error) => return Err(error),
            }
        }
        Ok(synced)
    }

    /// Runs a named operation once whose result is not JSON but bytes with a type of their own.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn op_bytes(&self, name: &str, param: &impl Serialize) -> Result<Downloaded, ClientError> {
        let body = OpBody { param: Some(param), syncs: &[], epoch: None };
        let call = Call::new(Method::POST, self.url(&["op", name])).json(&body)?;
        Ok(Downloaded::whole(self.send(call.once()).await?))
    }

    async fn run<P: Serialize>(
        &self,
        name: &str,
        param: Option<&P>,
        ask: &Ask,
        change: bool,
    ) -> Result<OpAnswer, ClientError> {
        let body = OpBody { param, syncs: &ask.syncs, epoch: ask.epoch.as_deref() };
        let call = Call::new(Method::POST, self.url(&["op", name])).json(&body)?;
        let reply = self.send(if change { call.once() } else { call }).await?;
        answered(&reply)
    }
}

impl Synced {
    fn add(&mut self, taken: Taken) {
        let Taken { changed, outdated, set_aside } = taken;
        self.taken.changed.extend(changed);
        self.taken.outdated += outdated;
        self.taken.set_aside += set_aside;
    }

    fn refuse(&mut self, ask: Ask, error: Box<ApiError>) -> Result<(), ClientError> {
        if self.refused.len() >= REFUSED_MAX || ask.syncs.is_empty() {
            return Err(ClientError::Api(error));
        }
        self.refused.extend(ask.syncs.into_iter().map(|held| (held.c, held.id, error.clone())));
        Ok(())
    }
}

/// Whether a refusal may be because of one document among many: it is ahead, its class is unknown, its filter is wrong.
fn is_about_a_document(error: &ApiError) -> bool {
    let general = [codes::NNAMESPACE, codes::NROUTE, codes::NOPERATION];
    matches!(error.letter(), 'A' | 'N') && general.iter().all(|code| code.name != error.code)
}

fn answered(reply: &Reply) -> Result<OpAnswer, ClientError> {
    let OpReply { out, syncs, left, epoch } = reply.read()?;
    Ok(OpAnswer {
        out,
        answer: epoch.map(|epoch| Answer { syncs, epoch }),
        version: reply.header("fastness-version").and_then(|text| text.parse().ok()),
        replayed: reply.header("idempotency-replayed") == Some("true"),
        left: left.into_iter().map(|Left { c, id }| (c, id)).collect(),
    })
}

fn committed(done: &OpAnswer) -> Option<i64> {
    done.out["version"].as_i64().or(done.version)
}

fn read_out<T: for<'de> Deserialize<'de>>(out: Value) -> Result<T, ClientError> {
    serde_json::from_value(out).map_err(unreadable)
}

fn unreadable(reason: impl ToString) -> ClientError {
    ClientError::Unreadable { status: 200, reason: reason.to_string() }
}
