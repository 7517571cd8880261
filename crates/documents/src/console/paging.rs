//! The way through the lists of a document that are longer than a page. Each goes by itself; the others stay where they are.

use maud::Markup;
use web::console::words as common;
use web::ui::parts::pager;

use super::{Asked, Place};

/// A list of a document: the parameter that says how many are left out, where it stands on the page, and rows of a page.
#[derive(Clone, Copy)]
pub(super) struct Paged {
    pub(super) name: &'static str,
    pub(super) place: &'static str,
    pub(super) rows: usize,
}

impl Paged {
    /// How many of so many are left out: beyond the end those before the last page. It may have been longer when the page was linked to.
    pub(super) fn skip(self, wanted: usize, all: usize) -> usize {
        if wanted < all { wanted } else { all.saturating_sub(1) / self.rows * self.rows }
    }

    /// First and next page of so many, when those up to `skip` are left out.
    pub(super) fn pager(self, place: Place<'_>, asked: &Asked, skip: usize, all: usize) -> Markup {
        let (first, next) = ((skip > 0).then_some(0), Some(skip + self.rows).filter(|next| *next < all));
        let at = |skip: Option<usize>| skip.map(|skip| self.at(place, asked, skip));
        pager((place.console.say(&common::FIRST_PAGE), at(first)), (place.console.say(&common::NEXT_PAGE), at(next)))
    }

    fn at(self, place: Place<'_>, asked: &Asked, skip: usize) -> String {
        let given = [("skip", asked.skip), ("files", asked.files), ("gone", asked.gone)];
        let given = given.map(|(name, count)| (name, if name == self.name { skip } else { count }));
        let given = given.map(|(name, count)| (name, (count > 0).then(|| count.to_string())));
        let mut query = vec![("kind", Some(asked.kind.as_str())), ("key", Some(asked.key.as_str()))];
        query.extend(given.iter().map(|(name, count)| (*name, count.as_deref())));
        format!("{}#{}", place.page_with(&query), self.place)
    }
}
