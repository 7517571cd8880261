//! Sets the channels of a namespace, or shows them.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::channel::{self, Channel};
use super::kind::{self, Kind};
use super::{AlertSettings, CHANNEL_KIND, SETTING, change};
use crate::cx::OpCx;
use crate::op::{Op, Query};
use crate::watch::setting;

/// Replaces the channels of the namespace; none means those of the server. Messages that no channel took are tried again at
/// once.
pub static SET_CHANNELS: Op<SetChannels, ()> = Op::new("alert.set_channels", set_channels);

/// The channels that are used.
pub static CHANNELS: Query<(), Channels> = Query::new("alert.channels", |tx, ()| {
    let (own, settings): (_, AlertSettings) = (channel::own(tx)?, setting::get(tx, SETTING)?);
    let is_own = !own.is_empty();
    Ok(Channels { channels: if is_own { own } else { settings.channels }, own: is_own })
});

/// The namespace's own channels; none if those of the server are used.
pub static OWN_CHANNELS: Query<(), Vec<Channel>> = Query::new("alert.own_channels", |tx, ()| channel::own(tx));

/// The channels to be, in the order in which they are tried.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetChannels {
    /// At most 8.
    pub channels: Vec<Wanted>,
}

/// A channel to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// This one.
    New(Channel),
    /// The one of this label that is there: whoever was shown the list knows neither URLs nor secrets.
    Kept(String),
}

impl From<Channel> for Wanted {
    fn from(channel: Channel) -> Self {
        Self::New(channel)
    }
}

/// The channels that are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channels {
    /// In the order in which they are tried.
    pub channels: Vec<Channel>,
    /// Whether they are the namespace's own.
    pub own: bool,
}

pub(crate) static CLEAR: Sql = Sql::new("alert_channel.clear", "DELETE FROM alert_channel");
pub(crate) static INSERT: Sql =
    Sql::new("alert_channel.insert", "INSERT INTO alert_channel (place, channel) VALUES (?1, ?2)");
pub(crate) static TROUBLE: Sql = Sql::new(
    "alert_kind.in_trouble",
    "SELECT k.kind FROM alert_kind k JOIN alert_message m ON m.id = k.message_id \
     WHERE m.rounds > 0 AND m.place_tries = 0 ORDER BY k.kind LIMIT 200",
);

fn set_channels(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &SetChannels) -> OpResult<()> {
    let before = channel::own(tx)?;
    let wanted = resolved(&before, &input.channels)?;
    channel::check_all(&wanted)?;
    let channels = with_kept_secrets(before, &wanted);
    tx.write(&CLEAR, args![])?;
    for (place, channel) in (0_i64..).zip(&channels) {
        let text = serde_json::to_string(channel).unwrap_or_default();
        tx.write(&INSERT, args![place, text])?;
    }
    close_trouble(tx, cx)?;
    try_again_now(tx, cx)?;
    let labels: Vec<String> = channels.iter().map(Channel::label).collect();
    cx.fx.journal("alert.channels", "alert channels", format!("set to: {}", labels.join("; ")));
    Ok(())
}

/// Each that is kept is taken once, in the order of the list, because two may have one label.
fn resolved(before: &[Channel], wanted: &[Wanted]) -> OpResult<Vec<Channel>> {
    let mut left: Vec<&Channel> = before.iter().collect();
    let mut one = |wanted: &Wanted| match wanted {
        Wanted::New(channel) => Ok(channel.clone()),
        Wanted::Kept(label) => {
            let found = left.iter().position(|channel| channel.label() == *label);
            let missing = || {
                let shown = crate::watch::shown(label, 80);
                OpError::new(codes::ABODY, format!("no channel of this namespace is labelled `{shown}`"))
            };
            found.map(|at| left.remove(at).clone()).ok_or_else(missing)
        }
    };
    wanted.iter().map(&mut one).collect()
}

/// A webhook that is given without its secret keeps the one it had: the list that is shown holds none.
fn with_kept_secrets(before: Vec<Channel>, wanted: &[Channel]) -> Vec<Channel> {
    let kept = |wanted_url: &str| {
        before.iter().find_map(|channel| match channel {
            Channel::Webhook { url, secret } if url == wanted_url => secret.clone(),
            Channel::Webhook { .. } | Channel::Mail { .. } => None,
        })
    };
    let fill = |channel: &Channel| match channel {
        Channel::Webhook { url, secret: None } => Channel::Webhook { url: url.clone(), secret: kept(url) },
        other => other.clone(),
    };
    wanted.iter().map(fill).collect()
}

/// What was wrong with the channels before says nothing about these.
fn close_trouble(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    let rows = tx.query(&super::summary::BANNER, args![CHANNEL_KIND], super::summary::BANNER_MAX)?;
    rows.iter().for_each(|row| cx.fx.close_alert(row.text(1)));
    Ok(())
}

/// Messages that wait because no channel took them need not wait any more.
fn try_again_now(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    let rows = tx.query(&TROUBLE, args![], 200)?;
    for row in rows {
        let kind: Kind = kind::get(tx, row.text(0))?;
        let now = cx.heard;
        change::inscribe(tx, cx, kind, now)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_27_a_channel_is_kept_by_its_label_without_its_secret_being_known() {
        let webhook = |path: &str| Channel::Webhook { url: format!("https://sms.example/{path}"), secret: None };
        let before = [webhook("one"), webhook("two"), Channel::Mail { to: vec!["a@b".into()] }];
        let kept = |label: &str| Wanted::Kept(label.into());
        let sms = "webhook https://sms.example";
        let found = resolved(&before, &[kept("mail to a@b"), kept(sms), kept(sms)]).unwrap();
        assert!(found == [before[2].clone(), webhook("one"), webhook("two")]);
        for missing in [vec![kept("mail to c@d")], vec![kept(sms), kept(sms), kept(sms)]] {
            assert_eq!(resolved(&before, &missing).unwrap_err().code, codes::ABODY);
        }
    }
}
