//! Finding as a person does: by what a thing is and what it is called.

use std::fmt;
use std::time::Instant;

use anyhow::{Result, bail};
use fantoccini::elements::{Element, ElementRef};
use serde_json::Value;

use super::{Eyes, PATIENCE};
use crate::command::Command;

/// The key under which WebDriver gives an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What can be seen of what a selector names.
const VISIBLE: &str =
    "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility({ visibilityProperty: true }))";

/// Something on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    css: String,
    /// As a screen reader says it; a blank is as good as several.
    name: Option<String>,
}

impl Target {
    fn named(css: &str, name: &str) -> Self {
        Self { css: css.to_owned(), name: Some(name.to_owned()) }
    }

    /// Only inside of what this selector names.
    #[must_use]
    pub fn within(self, css: &str) -> Self {
        Self { css: format!(":is({css}) :is({})", self.css), ..self }
    }
}

impl From<&str> for Target {
    fn from(css: &str) -> Self {
        Self { css: css.to_owned(), name: None }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "`{}` named `{name}`", self.css),
            None => write!(f, "`{}`", self.css),
        }
    }
}

/// A button of this name.
#[must_use]
pub fn button(name: &str) -> Target {
    Target::named("button, [role=button], input[type=submit], summary", name)
}

/// A link of this name.
#[must_use]
pub fn link(name: &str) -> Target {
    Target::named("a[href], [role=link]", name)
}

/// A field for text with this label.
#[must_use]
pub fn field(label: &str) -> Target {
    Target::named("input:not([type=checkbox], [type=radio], [type=submit]), textarea, [role=textbox]", label)
}

/// A list to choose from with this label.
#[must_use]
pub fn choice(label: &str) -> Target {
    Target::named("select, [role=combobox]", label)
}

/// A box to tick with this label.
#[must_use]
pub fn checkbox(label: &str) -> Target {
    Target::named("input[type=checkbox], input[type=radio], [role=checkbox], [role=switch]", label)
}

/// A heading with this text.
#[must_use]
pub fn heading(text: &str) -> Target {
    Target::named("h1, h2, h3, h4, h5, h6, [role=heading]", text)
}

/// A tab of this name.
#[must_use]
pub fn tab(name: &str) -> Target {
    Target::named("[role=tab]", name)
}

impl Eyes {
    /// Waits until the first such thing can be seen.
    pub(super) fn find(&self, target: &Target) -> Result<Element> {
        let until = Instant::now() + PATIENCE;
        loop {
            // A page that is just being left has nothing to find.
            if let Some(element) = self.all(target).unwrap_or_default().into_iter().next() {
                return Ok(element);
            }
            if Instant::now() > until {
                bail!("there is no {target}; {}", self.scene());
            }
            self.await_change();
        }
    }

    /// How many such things can be seen now.
    ///
    /// # Errors
    /// The page is just being left.
    pub fn count(&self, target: impl Into<Target>) -> Result<usize> {
        Ok(self.all(&target.into())?.len())
    }

    fn all(&self, target: &Target) -> Result<Vec<Element>> {
        let found = self.script(VISIBLE, vec![target.css.as_str().into()])?;
        let ids = found.as_array().into_iter().flatten().filter_map(|one| one[ELEMENT].as_str());
        let mut elements = vec![];
        for id in ids {
            if target.name.as_deref().is_none_or(|name| self.name_of(id).is_ok_and(|given| same(&given, name))) {
                elements.push(Element::from_element_id(self.client().clone(), ElementRef::from(id.to_owned())));
            }
        }
        Ok(elements)
    }

    pub(super) fn name_of(&self, element: &str) -> Result<String> {
        let name = self.command(Command::name_of(element))?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// For messages: where we are and how the page begins.
    pub(super) fn scene(&self) -> String {
        let script = "return location.href + ' shows: ' + document.body.innerText.slice(0, 600)";
        let scene = self.script(script, vec![]);
        scene.ok().as_ref().and_then(Value::as_str).unwrap_or("no page").to_owned()
    }
}

/// The same words.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}
