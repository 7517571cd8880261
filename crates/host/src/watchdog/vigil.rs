//! The rule by which a part is taken for stuck, without threads or clocks.

/// Time between an answer and the next question.
const ASK_EVERY_MS: u64 = 2_000;

/// What is seen of a part at one look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Milliseconds that the process ran.
    pub(super) ran_ms: u64,
    /// Number of the newest question that was answered.
    pub(super) answered: u64,
    /// Its progress.
    pub(super) progress: u64,
}

/// What follows from a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    /// Put the question of this number.
    Ask(u64),
    /// Nothing moved for so long, but it is the disk that is waited for. Said once in a while.
    WaitsForDisk(u64),
    /// It did not answer and nothing moved for so long.
    Stuck(u64),
}

/// What is known of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vigil {
    patience_ms: u64,
    /// The newest question.
    asked: u64,
    asked_ms: u64,
    /// When it last moved or was asked.
    moved_ms: u64,
    progress: u64,
}

impl Vigil {
    pub(super) fn new(patience_ms: u64, ran_ms: u64) -> Self {
        Self { patience_ms, asked: 0, asked_ms: ran_ms, moved_ms: ran_ms, progress: 0 }
    }

    pub(super) fn look(&mut self, seen: &Seen, waits_for_disk: impl FnOnce() -> bool) -> Verdict {
        if seen.progress != self.progress {
            (self.progress, self.moved_ms) = (seen.progress, seen.ran_ms);
        }
        let is_open = seen.answered < self.asked;
        if !is_open {
            return self.ask_again(seen.ran_ms);
        }
        let silent_ms = seen.ran_ms.saturating_sub(self.moved_ms);
        match silent_ms < self.patience_ms {
            true => Verdict::Good,
            false if waits_for_disk() => {
                self.moved_ms = seen.ran_ms;
                Verdict::WaitsForDisk(silent_ms)
            }
            false => Verdict::Stuck(silent_ms),
        }
    }

    fn ask_again(&mut self, ran_ms: u64) -> Verdict {
        if self.asked > 0 && ran_ms < self.asked_ms + ASK_EVERY_MS {
            return Verdict::Good;
        }
        self.asked += 1;
        (self.asked_ms, self.moved_ms) = (ran_ms, ran_ms);
        Verdict::Ask(self.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(vigil: &mut Vigil, ran_ms: u64, answered: u64, progress: u64) -> Verdict {
        vigil.look(&Seen { ran_ms, answered, progress }, || false)
    }

    #[test]
    fn ker_47_who_answers_is_asked_again_and_never_taken_for_stuck() {
        let mut vigil = Vigil::new(10_000, 0);
        let mut asked = 0;
        for ran_ms in (0..100_000).step_by(250) {
            match look(&mut vigil, ran_ms, asked, 0) {
                Verdict::Ask(number) => asked = number,
                other => assert_eq!(other, Verdict::Good),
            }
        }
        assert_eq!(asked, 50, "every two seconds");
    }

    #[test]
    fn ker_47_who_neither_answers_nor_moves_for_ten_seconds_is_stuck() {
        let mut vigil = Vigil::new(10_000, 0);
        assert_eq!(look(&mut vigil, 0, 0, 0), Verdict::Ask(1));
        assert_eq!(look(&mut vigil, 9_999, 0, 0), Verdict::Good);
        assert_eq!(look(&mut vigil, 10_000, 0, 0), Verdict::Stuck(10_000));
    }

    #[test]
    fn ker_47_who_has_much_to_do_but_moves_is_not_stuck() {
        let mut vigil = Vigil::new(10_000, 0);
        look(&mut vigil, 0, 0, 0);
        for (step, ran_ms) in (0..100_000).step_by(5_000).enumerate() {
            assert_eq!(look(&mut vigil, ran_ms, 0, step as u64), Verdict::Good, "at {ran_ms}");
        }
        assert_eq!(look(&mut vigil, 105_000, 0, 19), Verdict::Stuck(10_000));
    }

    #[test]
    fn ker_47_a_wait_for_the_disk_is_told_but_not_ended() {
        let mut vigil = Vigil::new(10_000, 0);
        let seen = |ran_ms| Seen { ran_ms, answered: 0, progress: 0 };
        vigil.look(&seen(0), || true);
        assert_eq!(vigil.look(&seen(10_000), || true), Verdict::WaitsForDisk(10_000));
        assert_eq!(vigil.look(&seen(19_999), || true), Verdict::Good, "said now and then");
        assert_eq!(vigil.look(&seen(20_000), || false), Verdict::Stuck(10_000), "the disk is back and nothing moves");
    }

    #[test]
    fn ker_47_a_late_answer_to_an_old_question_counts_for_that_one_only() {
        let mut vigil = Vigil::new(10_000, 0);
        look(&mut vigil, 0, 0, 0);
        assert_eq!(look(&mut vigil, 3_000, 1, 0), Verdict::Ask(2));
        assert_eq!(look(&mut vigil, 13_000, 1, 0), Verdict::Stuck(10_000));
    }
}
