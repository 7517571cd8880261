//! What is known of namespaces: what was acknowledged, what may be because somebody asked for it, and what was seen of each life
//! of a name. Lives only go on: creating, settled (open, read-only or closed), removing, gone.

use std::collections::{BTreeMap, BTreeSet};

use kernel::namespaces::State;

use super::keeper::Places;
use super::question::{Question, Thing};

/// A row as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct There {
    pub(super) place: String,
    pub(super) state: State,
    pub(super) version: i64,
}

/// Everything that is there.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) rows: BTreeMap<String, There>,
    pub(super) things: BTreeMap<Thing, String>,
    /// Lines of the journal that tell of creations.
    pub(super) creations: u64,
}

/// A namespace that was acknowledged.
#[derive(Debug, Clone)]
struct Tenant {
    place: String,
    /// States that it may have.
    states: Vec<State>,
    /// Somebody asked for its removal.
    leaves: bool,
    /// That was acknowledged.
    left: bool,
}

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Known {
    tenants: BTreeMap<String, Tenant>,
    /// By place, as it was seen last; `None` when it is gone.
    lives: BTreeMap<String, (String, Option<There>)>,
    /// Texts that a thing may have, `None` for its absence; one that is not here is absent.
    things: BTreeMap<Thing, Vec<Option<String>>>,
    creations_asked: u64,
}

impl Known {
    /// Names of namespaces that are there for sure.
    pub(super) fn there(&self) -> Vec<String> {
        self.tenants.iter().filter(|(_, tenant)| !tenant.leaves).map(|(name, _)| name.clone()).collect()
    }

    fn is_there(&self, name: &str) -> bool {
        self.tenants.get(name).is_some_and(|tenant| !tenant.leaves)
    }

    fn may_be(&mut self, thing: &Thing, text: Option<String>) {
        self.things.entry(thing.clone()).or_insert_with(|| vec![None]).push(text);
    }

    /// Something is asked for the first time.
    pub(super) fn ask(&mut self, question: &Question) {
        match question {
            Question::Seed => {}
            Question::Create { .. } => self.creations_asked += 1,
            Question::Turn { name, state } => {
                self.tenants.entry(name.clone()).and_modify(|tenant| tenant.states.push(*state));
            }
            Question::Remove { name } => {
                self.tenants.entry(name.clone()).and_modify(|tenant| tenant.leaves = true);
                let of_name = self.things.iter_mut().filter(|(thing, _)| thing.is_of(name));
                of_name.for_each(|(_, may_be)| may_be.push(None));
            }
            Question::Put { thing, text } => self.may_be(thing, Some(text.clone())),
            Question::Take { thing } => self.may_be(thing, None),
        }
    }

    /// It was acknowledged, with this place if it was a creation.
    ///
    /// # Errors
    /// A name has two lives at once.
    pub(super) fn done(&mut self, question: &Question, place: &str) -> Result<(), String> {
        match question {
            Question::Seed => {}
            Question::Create { name } => return self.created(name, place),
            Question::Turn { name, state } => {
                self.tenants.entry(name.clone()).and_modify(|tenant| tenant.states = vec![*state]);
            }
            Question::Remove { name } => {
                self.tenants.entry(name.clone()).and_modify(|tenant| tenant.left = true);
            }
            Question::Put { thing, text } => {
                let goes = match thing {
                    Thing::Grant(owner, reader, _) => !self.is_there(owner) || !self.is_there(reader),
                    Thing::Resource(namespace, _) => !self.is_there(namespace),
                };
                let sure = if goes { vec![Some(text.clone()), None] } else { vec![Some(text.clone())] };
                self.things.insert(thing.clone(), sure);
            }
            Question::Take { thing } => {
                self.things.insert(thing.clone(), vec![None]);
            }
        }
        Ok(())
    }

    fn created(&mut self, name: &str, place: &str) -> Result<(), String> {
        match self.tenants.get(name) {
            Some(tenant) if tenant.place == place => return Ok(()),
            Some(tenant) if !tenant.leaves => {
                return Err(format!("{name} was created in {place}, and is in {}", tenant.place));
            }
            Some(_) | None => {}
        }
        let states = vec![State::Creating, State::Open];
        self.tenants.insert(name.to_owned(), Tenant { place: place.to_owned(), states, leaves: false, left: false });
        Ok(())
    }

    /// It was refused, and no copy of it is on its way.
    pub(super) fn refused(&mut self, question: &Question) {
        match question {
            Question::Turn { name, .. } => {
                self.tenants.entry(name.clone()).and_modify(|tenant| {
                    tenant.states.pop();
                });
            }
            Question::Put { thing, .. } | Question::Take { thing } => {
                self.things.entry(thing.clone()).and_modify(|may_be| {
                    may_be.pop();
                });
            }
            Question::Seed | Question::Create { .. } | Question::Remove { .. } => {}
        }
    }

    /// Compares with what is there, `open` being the question that waits for its answer.
    ///
    /// # Errors
    /// Something acknowledged is missing, something is there that nobody asked for, or a life went back.
    pub(super) fn check(&mut self, seen: &Seen, places: &Places, open: Option<&Question>) -> Result<(), String> {
        self.check_lives(seen, places)?;
        self.forget_gone(seen, open);
        self.check_tenants(seen)?;
        self.check_things(seen)?;
        if seen.creations > self.creations_asked {
            return Err(format!("{} were created, {} were asked for", seen.creations, self.creations_asked));
        }
        Ok(())
    }

    fn check_lives(&mut self, seen: &Seen, places: &Places) -> Result<(), String> {
        for (name, there) in &seen.rows {
            let before = self.lives.insert(there.place.clone(), (name.clone(), Some(there.clone())));
            check_turn(before.as_ref(), there)?;
            if rank(there.state) == 1 && !places.made.contains(&there.place) && there.place != *name {
                return Err(format!("{name} is {there:?}, but nobody made its store"));
            }
        }
        for (place, (name, last)) in &mut self.lives {
            let is_there = seen.rows.get(name).is_some_and(|there| there.place == *place);
            if !is_there && last.take().is_some() && !places.aside.contains(place) {
                return Err(format!("the row of {place} is gone, but its data was not set aside"));
            }
        }
        Ok(())
    }

    /// What is gone may come again under its name, with nothing of what it had.
    fn forget_gone(&mut self, seen: &Seen, open: Option<&Question>) {
        let is_gone = |name: &String, tenant: &Tenant| {
            tenant.leaves && seen.rows.get(name).is_none_or(|there| there.place != tenant.place)
        };
        let gone: BTreeSet<String> =
            self.tenants.iter().filter(|(name, tenant)| is_gone(name, tenant)).map(|(name, _)| name.clone()).collect();
        // What is being put just now may come after the removal.
        let is_asked = |of: &Thing| matches!(open, Some(Question::Put { thing, .. }) if thing == of);
        self.things.retain(|thing, _| is_asked(thing) || !gone.iter().any(|name| thing.is_of(name)));
        // Whoever waits for the answer to the removal needs it still.
        let is_removed = |of: &String| !matches!(open, Some(Question::Remove { name }) if name == of);
        self.tenants.retain(|name, _| !(gone.contains(name) && is_removed(name)));
    }

    fn check_tenants(&self, seen: &Seen) -> Result<(), String> {
        for (name, tenant) in &self.tenants {
            let there = seen.rows.get(name).filter(|there| there.place == tenant.place);
            let good = match there {
                None => tenant.leaves,
                Some(there) if tenant.left => there.state == State::Removing,
                Some(there) if tenant.leaves => there.state == State::Removing || tenant.states.contains(&there.state),
                Some(there) => tenant.states.contains(&there.state),
            };
            if !good {
                return Err(format!("{name} should be {tenant:?}, and is {:?}", seen.rows.get(name)));
            }
        }
        Ok(())
    }

    fn check_things(&self, seen: &Seen) -> Result<(), String> {
        let none = vec![None];
        for thing in self.things.keys().chain(seen.things.keys()) {
            let (may_be, is) = (self.things.get(thing).unwrap_or(&none), seen.things.get(thing));
            if !may_be.iter().any(|text| text.as_ref() == is) {
                return Err(format!("{thing:?} should be one of {may_be:?}, and is {is:?}"));
            }
        }
        Ok(())
    }
}

/// A life goes on only, and each change of it has a later version.
fn check_turn(before: Option<&(String, Option<There>)>, now: &There) -> Result<(), String> {
    match before {
        None => Ok(()),
        Some((_, Some(before))) if before == now => Ok(()),
        Some((_, Some(before))) if rank(before.state) <= rank(now.state) && before.version < now.version => Ok(()),
        Some((_, before)) => Err(format!("a life went from {before:?} to {now:?}")),
    }
}

fn rank(state: State) -> u8 {
    match state {
        State::Creating => 0,
        State::Open | State::ReadOnly | State::Closed | State::Moving => 1,
        State::Removing => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there(state: State, version: i64) -> There {
        There { place: "a-1".into(), state, version }
    }

    #[test]
    fn ker_2_the_judge_knows_which_turns_are_none() {
        let turn = |from: Option<There>, to: There| check_turn(Some(&("a".into(), from)), &to).is_ok();
        assert!(turn(Some(there(State::Creating, 1)), there(State::Open, 2)));
        assert!(turn(Some(there(State::Closed, 1)), there(State::Open, 2)));
        assert!(!turn(Some(there(State::Open, 2)), there(State::Creating, 3)));
        assert!(!turn(Some(there(State::Removing, 2)), there(State::Open, 3)));
        assert!(!turn(Some(there(State::Open, 2)), there(State::Closed, 2)), "the same version");
        assert!(!turn(None, there(State::Open, 9)), "it was gone");
    }

    #[test]
    fn ker_2_the_judge_misses_what_was_acknowledged() {
        let mut known = Known::default();
        let create = Question::Create { name: "a".into() };
        known.ask(&create);
        known.done(&create, "a-1").unwrap();
        assert!(known.check(&Seen::default(), &Places::default(), None).is_err(), "it is not there");
        let rows = BTreeMap::from([("a".to_owned(), there(State::Creating, 1))]);
        let seen = Seen { rows, creations: 1, ..Seen::default() };
        assert_eq!(known.check(&seen, &Places::default(), None), Ok(()));
        assert!(known.done(&create, "a-2").is_err(), "it was created twice");
    }
}
