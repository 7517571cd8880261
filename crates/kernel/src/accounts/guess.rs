//! Guesses of short secrets that are no passwords, such as activation codes: counted and slowed as logins are, for one address and
//! for all together.

use base::{ContentionKey, Keys, OpResult, Tx};
use serde::{Deserialize, Serialize};

use super::rows::{self, Subjects};
use super::throttle::{GUESSES, Next};
use crate::cx::OpCx;
use crate::op::Op;

/// Counts a guess before it is looked at: a thousand at once are a thousand, and a kill forgets none.
pub static BEGIN_GUESS: Op<Guess, GuessBegun> = Op::new("guess.begin", begin)
    .keyed(|guess| Keys::of(vec![ContentionKey::of("login", guess.what), ContentionKey::of("login", &guess.address)]));
/// Takes a guess back that was right.
pub static RIGHT_GUESS: Op<Guess, ()> = Op::new("guess.right", right);

/// What is guessed, and from where.
#[derive(Debug, Clone)]
pub struct Guess {
    /// Which kind of secret: a word of the service that asks.
    pub what: &'static str,
    /// The client's address, as [`super::session::address_text`] writes it.
    pub address: String,
}

/// How it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuessBegun {
    /// Not yet.
    Wait {
        /// For so long.
        ms: i64,
    },
    /// Look at it.
    Look,
}

/// No account has a name with a space in it.
fn subjects(guess: &Guess) -> Subjects {
    Subjects::of(&format!("guess {}", guess.what), &guess.address)
}

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, guess: &Guess) -> OpResult<GuessBegun> {
    Ok(match rows::tried_within(tx, cx, &subjects(guess), GUESSES)? {
        Next::Wait { ms } => GuessBegun::Wait { ms },
        Next::Go(_) => GuessBegun::Look,
    })
}

fn right(tx: &mut dyn Tx, _: &mut OpCx<'_>, guess: &Guess) -> OpResult<()> {
    rows::succeeded(tx, &subjects(guess))
}
