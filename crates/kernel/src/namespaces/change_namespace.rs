//! Changes a namespace: its label, its state, its limits.

use base::{OpError, OpResult, Tx, Wall, codes};

use super::create_namespace::keys;
use super::row::{self, Limits, NamespaceRow};
use super::state::State;
use crate::cx::OpCx;
use crate::op::Op;

/// Changes a namespace. It also runs when the disk is full: closing a tenant may be what helps.
pub static CHANGE_NAMESPACE: Op<ChangeNamespace, NamespaceRow> =
    Op::new("namespace.change", change_namespace).keyed(|_| keys()).ending();

/// What shall change; what is not given stays.
#[derive(Debug, Clone, Default)]
pub struct ChangeNamespace {
    /// Which.
    pub name: String,
    /// For people.
    pub label: Option<String>,
    /// Open, read-only or closed, with what people are told and when it is expected to be open again.
    pub state: Option<(State, String, Option<Wall>)>,
    /// All of its limits.
    pub limits: Option<Limits>,
    /// The administrators' namespace, which stays open.
    pub admin: String,
}

fn change_namespace(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ChangeNamespace) -> OpResult<NamespaceRow> {
    let before = row::get(tx, &input.name)?;
    let after = changed(before.clone(), input)?;
    if after == before {
        return Ok(before);
    }
    cx.saw(before.stamp());
    let after = NamespaceRow { version: cx.stamp().number(), ..after };
    row::update(tx, &after)?;
    cx.fx.journal("namespace.changed", &after.name, format!("{}: {}", after.state.word(), after.message));
    Ok(after)
}

/// What the row becomes.
fn changed(before: NamespaceRow, input: &ChangeNamespace) -> OpResult<NamespaceRow> {
    let mut after = before;
    if let Some(label) = &input.label {
        row::check_label(label)?;
        after.label.clone_from(label);
    }
    if let Some(limits) = input.limits {
        check_limits(limits)?;
        after.limits = limits;
    }
    if let Some((state, message, reopens_at)) = &input.state {
        check_turn(&after, *state, &input.admin)?;
        row::check_message(message)?;
        // Both tell of a namespace that is not open. A form that opens one again brings along what it showed before.
        let told = (*state != State::Open).then_some((message, *reopens_at));
        after.state = *state;
        after.reopens_at = told.and_then(|(_, reopens_at)| reopens_at).map(|wall| wall.0);
        after.message = told.map(|(message, _)| message.clone()).unwrap_or_default();
    }
    Ok(after)
}

/// Whether a person may turn a namespace into this state.
fn check_turn(before: &NamespaceRow, wanted: State, admin: &str) -> OpResult<()> {
    let name = &before.name;
    let refused = |message: String| Err(OpError::new(codes::ANAMESPACE, message));
    match (before.state, wanted) {
        (_, State::Creating | State::Moving | State::Removing) => {
            refused(format!("state {} is not one to ask for", wanted.word()))
        }
        (State::Creating | State::Moving | State::Removing, _) => {
            refused(format!("namespace `{name}` is {}", before.state.word()))
        }
        (_, State::ReadOnly | State::Closed) if name == admin => {
            refused(format!("`{name}` is the administrators' namespace, it stays open"))
        }
        (State::Open | State::ReadOnly | State::Closed, State::Open | State::ReadOnly | State::Closed) => Ok(()),
    }
}

fn check_limits(limits: Limits) -> OpResult<()> {
    for (what, value, max) in [("requests_max", limits.requests_max, 1_000_000), ("readers", limits.readers, 256)] {
        if value.is_some_and(|value| !(1..=max).contains(&value)) {
            return Err(OpError::new(codes::ALIMIT, format!("{what} takes 1 to {max}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use base::Engine;

    use super::*;

    fn row(name: &str, state: State) -> NamespaceRow {
        NamespaceRow {
            name: name.into(),
            label: String::new(),
            engine: Engine::Sqlite,
            place: name.into(),
            home: String::new(),
            url: None,
            state,
            message: String::new(),
            reopens_at: None,
            limits: Limits::default(),
            temporary: false,
            created_at: 0,
            version: 0,
        }
    }

    #[test]
    fn ker_2_which_turns_a_person_may_make() {
        let settled = [State::Open, State::ReadOnly, State::Closed];
        for from in State::ALL {
            for to in State::ALL {
                let good = settled.contains(&from) && settled.contains(&to);
                assert_eq!(check_turn(&row("a", from), to, "z").is_ok(), good, "{from:?} {to:?}");
            }
        }
        assert!(check_turn(&row("z", State::Open), State::Closed, "z").is_err());
        assert!(check_turn(&row("z", State::Open), State::Open, "z").is_ok());
    }

    #[test]
    fn ker_2_what_is_told_of_a_closed_namespace_ends_when_it_opens() {
        let turned = |state: State| {
            let state = Some((state, "moving".to_owned(), Some(Wall(7))));
            let input = ChangeNamespace { name: "a".into(), state, admin: "z".into(), ..ChangeNamespace::default() };
            let after = changed(row("a", State::Closed), &input).unwrap();
            (after.state, after.message, after.reopens_at)
        };
        assert_eq!(turned(State::ReadOnly), (State::ReadOnly, "moving".into(), Some(7)));
        assert_eq!(turned(State::Open), (State::Open, String::new(), None));
    }

    #[test]
    fn ker_34_limits_have_limits() {
        assert!(check_limits(Limits { requests_max: Some(1), readers: Some(256) }).is_ok());
        assert!(check_limits(Limits { requests_max: Some(0), readers: None }).is_err());
        assert!(check_limits(Limits { requests_max: None, readers: Some(257) }).is_err());
    }
}
