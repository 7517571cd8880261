//! Where pages are found.

use crate::ui::Text;

/// A group of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The namespace as a whole.
    Overview,
    /// What the services keep.
    Services,
    /// Work that goes on by itself.
    Work,
    /// What happened.
    Watch,
    /// Who may do what, and how it is set up.
    Administration,
}

impl Group {
    /// All, in their order.
    pub const ALL: [Self; 5] = [Self::Overview, Self::Services, Self::Work, Self::Watch, Self::Administration];

    /// Its heading; the first group needs none.
    #[must_use]
    pub fn text(self) -> Option<&'static Text> {
        match self {
            Self::Overview => None,
            Self::Services => Some(&super::words::SERVICES),
            Self::Work => Some(&super::words::WORK),
            Self::Watch => Some(&super::words::WATCH),
            Self::Administration => Some(&super::words::ADMINISTRATION),
        }
    }
}

/// An entry of the navigation.
#[derive(Debug, Clone, Copy)]
pub struct Nav {
    /// Where it stands.
    pub group: Group,
    /// Its place in the group, smallest first.
    pub place: u8,
    /// What it is called.
    pub text: &'static Text,
    /// Its picture: the `d` of a path in a square of 16.
    pub icon: &'static str,
}
