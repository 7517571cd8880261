//! What a person does on a page.

use anyhow::{Context, Result};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;

use super::{Eyes, Target};

impl Eyes {
    /// Clicks; what covers the thing is found, as it would be by a person.
    ///
    /// # Errors
    /// There is no such thing, or it is covered.
    pub fn click(&self, target: impl Into<Target>) -> Result<()> {
        self.act(&target.into(), |element| async move { element.click().await })
    }

    /// Types into a field, in place of what was there.
    ///
    /// # Errors
    /// There is no such field, or it takes no text.
    pub fn fill(&self, target: impl Into<Target>, text: &str) -> Result<()> {
        self.act(&target.into(), |element| async move {
            element.clear().await?;
            element.send_keys(text).await
        })
    }

    /// Takes from a list what has this text.
    ///
    /// # Errors
    /// There is no such list or no such text in it.
    pub fn choose(&self, target: impl Into<Target>, label: &str) -> Result<()> {
        self.act(&target.into(), |element| async move { element.select_by_label(label).await })
    }

    /// Gives a file to a field for files, which may be hidden behind a button.
    ///
    /// # Errors
    /// There is no such field.
    pub fn upload(&self, css: &str, file: &std::path::Path) -> Result<()> {
        let field = self.run(self.client().find(Locator::Css(css))).with_context(|| css.to_owned())?;
        self.run(field.send_keys(&file.display().to_string()))
    }

    /// Presses a key, wherever the focus is.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn press(&self, key: Key) -> Result<()> {
        self.press_letter(char::from(key))
    }

    /// The same with the key of a letter.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn press_letter(&self, value: char) -> Result<()> {
        let keys = KeyActions::new("keys".into()).then(KeyAction::Down { value }).then(KeyAction::Up { value });
        self.run(self.client().perform_actions(keys))
    }

    /// The same while another key is held down.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn press_with(&self, held: Key, value: char) -> Result<()> {
        let held = char::from(held);
        let keys = KeyActions::new("keys".into()).then(KeyAction::Down { value: held }).then(KeyAction::Down { value });
        let keys = keys.then(KeyAction::Up { value }).then(KeyAction::Up { value: held });
        self.run(self.client().perform_actions(keys))
    }

    /// The name of what has the focus, as a screen reader says it.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn focused(&self) -> Result<String> {
        let element = self.run(self.client().active_element())?;
        self.name_of(&element.element_id())
    }

    /// What can be read in the thing.
    ///
    /// # Errors
    /// There is no such thing.
    pub fn read(&self, target: impl Into<Target>) -> Result<String> {
        let element = self.find(&target.into())?;
        self.run(element.text())
    }

    /// The value of a field.
    ///
    /// # Errors
    /// There is no such field.
    pub fn value(&self, target: impl Into<Target>) -> Result<String> {
        let element = self.find(&target.into())?;
        Ok(self.run(element.prop("value"))?.unwrap_or_default())
    }

    /// The page may have put another such thing in its place between finding and acting: then that one.
    fn act<F>(&self, target: &Target, act: impl Fn(Element) -> F) -> Result<()>
    where
        F: Future<Output = Result<(), CmdError>>,
    {
        let first = self.run(act(self.find(target)?));
        let again = first.as_ref().is_err_and(is_stale);
        let done = if again { self.run(act(self.find(target)?)) } else { first };
        done.with_context(|| format!("{target}; {}", self.scene()))
    }
}

fn is_stale(error: &anyhow::Error) -> bool {
    error.downcast_ref::<CmdError>().is_some_and(CmdError::is_stale_element_reference)
}
