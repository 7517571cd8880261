//! What an administrator asks for, and how it is sent.

use base::Engine;
use kernel::namespaces::{
    CHANGE_NAMESPACE, CREATE_NAMESPACE, ChangeNamespace, CreateNamespace, GIVE_GRANT, Grant, NamespaceRules,
    PUT_RESOURCE, PutResource, REMOVE_NAMESPACE, REMOVE_RESOURCE, RemoveNamespace, ResourceName, SEED_NAMESPACES,
    SeedNamespaces, State, TAKE_GRANT,
};

use crate::sim::{Asker, Sim};

/// The administrators' namespace, which keepers leave alone.
pub(super) const ADMIN: &str = "z";

/// What goes with its namespaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thing {
    /// Owner, reader, class.
    Grant(String, String, String),
    /// Namespace, path.
    Resource(String, String),
}

impl Thing {
    /// Whether it goes with this namespace.
    pub(super) fn is_of(&self, name: &str) -> bool {
        match self {
            Self::Grant(owner, reader, _) => owner == name || reader == name,
            Self::Resource(namespace, _) => namespace == name,
        }
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    /// The first namespaces have their rows.
    Seed,
    /// A namespace is created.
    Create { name: String },
    /// It is opened, closed or takes reads only.
    Turn { name: String, state: State },
    /// It goes.
    Remove { name: String },
    /// A thing is put, with this text if it is a resource.
    Put { thing: Thing, text: String },
    /// A thing is taken away.
    Take { thing: Thing },
}

impl Question {
    /// Sends it; tells how many copies go out.
    pub(super) fn send(&self, asker: Asker, sim: &mut Sim) -> u64 {
        let once = format!("tenants {}", asker.token);
        let (once, admin) = (Some(once.as_str()), ADMIN.to_owned());
        let rules = NamespaceRules { engine: Engine::Postgres, has_postgres: true, ..NamespaceRules::default() };
        match self.clone() {
            Self::Seed => {
                let input = SeedNamespaces { admin, engine: Engine::Postgres, node: "one".into() };
                sim.ask(asker, &SEED_NAMESPACES, input, once)
            }
            Self::Create { name } => {
                let input =
                    CreateNamespace { name, label: None, engine: None, url: None, temporary: false, rules, admin };
                sim.ask(asker, &CREATE_NAMESPACE, input, once)
            }
            Self::Turn { name, state } => {
                let state = Some((state, String::new(), None));
                sim.ask(
                    asker,
                    &CHANGE_NAMESPACE,
                    ChangeNamespace { name, state, admin, ..ChangeNamespace::default() },
                    once,
                )
            }
            Self::Remove { name } => sim.ask(asker, &REMOVE_NAMESPACE, RemoveNamespace { name, admin }, once),
            Self::Put { thing: Thing::Grant(owner, reader, class), .. } => {
                sim.ask(asker, &GIVE_GRANT, Grant { owner, reader, class }, once)
            }
            Self::Take { thing: Thing::Grant(owner, reader, class) } => {
                sim.ask(asker, &TAKE_GRANT, Grant { owner, reader, class }, once)
            }
            Self::Put { thing: Thing::Resource(namespace, path), text } => {
                let name = ResourceName { namespace, path };
                let input = PutResource { name, media_type: "text/plain".into(), bytes: text.into_bytes() };
                sim.ask(asker, &PUT_RESOURCE, input, once)
            }
            Self::Take { thing: Thing::Resource(namespace, path) } => {
                sim.ask(asker, &REMOVE_RESOURCE, ResourceName { namespace, path }, once)
            }
        }
    }
}
