//! Sensors that speak, and a client who is told.

use std::time::Duration;

use anyhow::Result;

use crate::machine::Front;
use crate::nodes::books::Reading;
use crate::rng::Rng;
use crate::sensors::judge::{Event, Left};
use crate::sensors::receiver::Receiver;
use crate::sensors::speakers::{End, Speaker};
use crate::sensors::{SPEAKERS, judge, register, wait_told};

/// Between two signals of a speaker.
const PACE: Duration = Duration::from_millis(100);

/// Who is told.
pub(super) struct House {
    pub(super) receiver: Receiver,
    client: String,
}

impl House {
    pub(super) fn open(front: &dyn Front, rng: &mut Rng) -> Result<Self> {
        let receiver = Receiver::start(rng.fork())?;
        let client = register(front.address()?, &receiver.url())?;
        Ok(Self { receiver, client })
    }

    pub(super) fn speakers(rng: &mut Rng) -> Vec<Speaker> {
        (0..SPEAKERS).map(|number| Speaker::new(number, rng.fork()).paced(PACE)).collect()
    }

    /// A last word of each, and everything is told.
    pub(super) fn settle(&self, front: &dyn Front, speakers: &mut [Speaker]) -> Result<()> {
        self.receiver.be_good();
        speakers.iter_mut().try_for_each(|speaker| speaker.last_words(front.address()?))?;
        wait_told(&self.receiver, speakers).map(drop)
    }

    /// Each acknowledged change has its event, each event its end; how many were told.
    pub(super) fn judge(&self, reading: &Reading, speakers: &[Speaker]) -> Result<usize> {
        judge::judge(&left(reading, &self.client)?, &self.receiver.heard(), speakers)
    }
}

/// Speaks until the end.
pub(super) fn speak(mut speaker: Speaker, front: &dyn Front, end: &End) -> Result<Speaker> {
    let address = front.address()?;
    speaker.speak(end, || address)?;
    Ok(speaker)
}

fn left(reading: &Reading, client: &str) -> Result<Left> {
    let history =
        reading.rows::<2>("SELECT sensor_id, COUNT(*) FROM sensor_history WHERE changed = 1 GROUP BY sensor_id")?;
    let history =
        history.into_iter().map(|[sensor, count]| anyhow::Ok((sensor, count.parse()?))).collect::<Result<_>>()?;
    let rows = reading.rows::<6>(&format!(
        "SELECT id, seq, sensor_id, body, state, superseded_by FROM sensor_event WHERE client_id = '{client}' AND kind = 'state'"
    ))?;
    let event = |[id, seq, sensor, body, state, newer]: [String; 6]| {
        anyhow::Ok((id, Event { seq: seq.parse()?, sensor, body, state, superseded_by: newer.parse().ok() }))
    };
    Ok(Left { events: rows.into_iter().map(event).collect::<Result<_>>()?, history })
}
