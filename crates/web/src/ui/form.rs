//! What people can do: forms that the page's script sends to the API.
//!
//! A form names a route of the table. Whether somebody may use it is the table's word, so a page never shows a button that the
//! server would refuse for the role. The script sends the fields as JSON with the session's token and an Idempotency-Key made once
//! per form, so that a double click or a repeat after a broken connection does nothing twice.

use std::borrow::Cow;

use base::Wall;
use maud::{Markup, Render, html};

use super::parts::Tone;
use crate::time::rfc3339;

/// What a field holds, as the API takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text; left out when empty.
    Text,
    /// Text that is sent also when empty.
    AnyText,
    /// Many lines of text.
    Lines,
    /// A whole number; left out when empty.
    Number,
    /// JSON; left out when empty.
    Json,
    /// Yes or no.
    Flag,
    /// A moment in the browser's time zone; left out when empty.
    Moment,
    /// Words separated by commas or lines: a list of texts.
    Words,
    /// A secret that browsers may keep.
    Password,
    /// Many lines of text, sent also when there are none.
    AnyLines,
    /// A file: its bytes are the body, with the type that the browser knows for it. The other fields are parts of the path; an empty
    /// one takes the file's name.
    File,
    /// Not shown.
    Hidden,
    /// JSON that is not shown.
    HiddenJson,
    /// Not sent: a word that must be typed as it is before something that cannot be taken back.
    Typed,
}

/// A field of a form. A name with dots lies inside of the body, and a number in it is a place in a list: `changes.0.id`. What is
/// named `*` is the whole body.
pub struct Field {
    name: Cow<'static, str>,
    label: String,
    kind: Kind,
    value: String,
    hint: String,
    required: bool,
    /// Words to choose from, with what they are called.
    choices: Vec<(String, String)>,
    autocomplete: Option<&'static str>,
    /// Whether it is a part of the path and not of the body.
    in_path: bool,
    /// The element whose `data-now` it takes when the form turned out to be behind.
    follows: Option<&'static str>,
    /// Lines of a large one.
    rows: u8,
    /// The moment that it holds until somebody chooses another one: the script shows it in the browser's zone.
    utc: Option<String>,
    /// The type that a file is sent with, whatever the browser takes it for.
    sent_as: Option<&'static str>,
    /// The field and its values with which this one is there.
    only: Option<(&'static str, String)>,
    /// Whether it is not there as long as nobody chooses otherwise.
    is_out: bool,
}

/// Names that the script uses of a form itself.
const HIDING: [&str; 12] = [
    "attributes",
    "childNodes",
    "classList",
    "closest",
    "contains",
    "dataset",
    "elements",
    "matches",
    "querySelector",
    "querySelectorAll",
    "reset",
    "nodeName",
];

impl Field {
    /// A field of this name in the API's body, with a label.
    ///
    /// # Panics
    /// The name is one that a form needs for itself: a bug of the page.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, label: impl Into<String>, kind: Kind) -> Self {
        let name = name.into();
        assert!(!HIDING.contains(&name.as_ref()), "a field named {name} would hide what the script asks the form for");
        Self {
            name,
            label: label.into(),
            kind,
            value: String::new(),
            hint: String::new(),
            required: false,
            choices: vec![],
            autocomplete: None,
            in_path: false,
            follows: None,
            rows: 6,
            utc: None,
            sent_as: None,
            only: None,
            is_out: false,
        }
    }

    /// JSON that is sent along.
    #[must_use]
    pub fn hidden(name: impl Into<Cow<'static, str>>, value: &serde_json::Value) -> Self {
        Self::new(name, "", Kind::HiddenJson).value(value.to_string())
    }

    /// A word that must be typed as it is before the form can be sent.
    #[must_use]
    pub fn typed(label: impl Into<String>, word: &str) -> Self {
        Self::new("", label, Kind::Typed).value(word).required()
    }

    /// One that must be filled in.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Filled in already.
    #[must_use]
    pub fn value(self, value: impl Into<String>) -> Self {
        Self { value: value.into(), ..self }
    }

    /// A [`Kind::Moment`] that is filled in already, with what is known of it.
    #[must_use]
    pub fn at(self, moment: Option<Wall>) -> Self {
        Self { utc: moment.map(rfc3339), ..self }
    }

    /// With a few words of help.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// One of these words.
    #[must_use]
    pub fn choices(self, choices: Vec<(String, String)>) -> Self {
        Self { choices, ..self }
    }

    /// What a browser may fill in.
    #[must_use]
    pub fn autocomplete(self, what: &'static str) -> Self {
        Self { autocomplete: Some(what), ..self }
    }

    /// Fills `{name}` of the form's path in, and is not sent in the body.
    #[must_use]
    pub fn in_path(self) -> Self {
        Self { in_path: true, ..self }
    }

    /// Takes the value that the live element of this id has (`data-now`), but only once the server has said that this one is old
    /// (see [`Form::behind`]): what somebody is filling in keeps the state that it was made for.
    #[must_use]
    pub fn follows(self, element: &'static str) -> Self {
        Self { follows: Some(element), ..self }
    }

    /// So many lines high.
    #[must_use]
    pub fn rows(self, rows: u8) -> Self {
        Self { rows, ..self }
    }

    /// A file that is sent with this type: browsers do not agree on what a table is.
    #[must_use]
    pub fn sent_as(self, mime: &'static str) -> Self {
        Self { sent_as: Some(mime), ..self }
    }

    /// There only while a field of choices has one of these values; `now` is the one that it has at first.
    #[must_use]
    pub fn only_for(self, field: &'static str, values: &[&str], now: &str) -> Self {
        Self { only: Some((field, values.join(" "))), is_out: !values.contains(&now), ..self }
    }

    fn is_hidden(&self) -> bool {
        matches!(self.kind, Kind::Hidden | Kind::HiddenJson)
    }

    fn data_kind(&self) -> &'static str {
        match self.kind {
            _ if self.in_path => "path",
            Kind::Text | Kind::Lines | Kind::Password | Kind::Hidden | Kind::Typed => "text",
            Kind::AnyText | Kind::AnyLines => "any-text",
            Kind::File => "file",
            Kind::Number => "number",
            Kind::Json | Kind::HiddenJson => "json",
            Kind::Flag => "flag",
            Kind::Moment => "moment",
            Kind::Words => "words",
        }
    }

    /// `first`: the one that has the focus when its dialog opens.
    fn control(&self, first: bool) -> Markup {
        let (name, kind, value) = (&self.name, self.data_kind(), &self.value);
        if !self.choices.is_empty() {
            return html! {
                select name=(name) data-kind=(kind) required[self.required] disabled[self.is_out] autofocus[first] {
                    @for (word, text) in &self.choices { option value=(word) selected[word == value] { (text) } }
                }
            };
        }
        let input_type = match self.kind {
            Kind::Number => "number",
            Kind::Moment => "datetime-local",
            Kind::Password => "password",
            Kind::File => "file",
            _ => "text",
        };
        html! {
            @match self.kind {
                // Browsers drop the first line end of a text area: this one.
                Kind::Lines | Kind::AnyLines | Kind::Json => textarea name=(name) data-kind=(kind) rows=(self.rows)
                    spellcheck="false" required[self.required] autofocus[first] { "\n" (value) },
                Kind::Flag => input type="checkbox" name=(name) data-kind=(kind) checked[value == "true"] autofocus[first];,
                Kind::Typed => input type="text" pattern=(exactly(value)) placeholder=(value) autocomplete="off" required autofocus[first];,
                _ => input type=(input_type) name=(name) data-kind=(kind) value=(value) required[self.required]
                    autocomplete=[self.autocomplete.or(Some("off"))] step=[(self.kind == Kind::Moment).then_some("1")]
                    data-type=[self.sent_as] data-utc=[self.utc.as_ref()] disabled[self.is_out] autofocus[first];,
            }
        }
    }
}

impl Render for Field {
    fn render(&self) -> Markup {
        self.shown(false)
    }
}

impl Field {
    fn shown(&self, first: bool) -> Markup {
        if self.is_hidden() {
            return html! {
                input type="hidden" name=(self.name) data-kind=(self.data_kind()) data-follows=[self.follows] value=(self.value);
            };
        }
        let class = if self.kind == Kind::Flag { "field flag" } else { "field" };
        html! {
            label class=(class) data-only=[self.only.as_ref().map(|only| only.0)] data-for=[self.only.as_ref().map(|only| &only.1)] hidden[self.is_out] {
                span.field-label { (self.label) @if self.required { span.required aria-hidden="true" { " *" } } }
                (self.control(first))
                @if !self.hint.is_empty() { span.field-hint { (self.hint) } }
            }
        }
    }
}

/// A change that somebody can make: a form, or a button alone.
pub struct Form {
    method: String,
    path: String,
    button: String,
    tone: Tone,
    fields: Vec<Field>,
    confirm: Option<String>,
    go: Option<String>,
    go_if: Option<String>,
    enters: Option<(String, String)>,
    show: Option<(&'static str, String)>,
    done: Option<String>,
    behind: Option<(&'static str, String)>,
    instead: Option<(&'static str, String)>,
    /// Opens in a dialog behind a button of this text.
    title: Option<String>,
    allowed: bool,
}

impl Form {
    /// A form for a method and a path that are known.
    #[must_use]
    pub fn new(method: &str, path: &str, button: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            button: button.into(),
            tone: Tone::Quiet,
            fields: vec![],
            confirm: None,
            go: None,
            go_if: None,
            enters: None,
            show: None,
            done: None,
            behind: None,
            instead: None,
            title: None,
            allowed: true,
        }
    }

    /// Shown only if this is so.
    #[must_use]
    pub fn allowed(self, allowed: bool) -> Self {
        Self { allowed: self.allowed && allowed, ..self }
    }

    /// Fills a part of the path in.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        let path = self.path.replace(&format!("{{{name}}}"), &encoded(value));
        Self { path, ..self }
    }

    /// With a colour: [`Tone::Good`] for the page's main action, [`Tone::Bad`] for what cannot be taken back.
    #[must_use]
    pub fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// With a field.
    #[must_use]
    pub fn field(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// Asks first.
    #[must_use]
    pub fn confirm(self, question: impl Into<String>) -> Self {
        Self { confirm: Some(question.into()), ..self }
    }

    /// Goes to this page afterwards; otherwise the page shows its new state.
    #[must_use]
    pub fn go(self, href: impl Into<String>) -> Self {
        Self { go: Some(href.into()), ..self }
    }

    /// Goes to another page if this field of the answer is true.
    #[must_use]
    pub fn go_if(self, field: &str, href: &str) -> Self {
        Self { go_if: Some(format!("{field}:{href}")), ..self }
    }

    /// Changes the password of this account of this namespace, which ends the session: opens another one with the field `new`.
    #[must_use]
    pub fn enters(self, namespace: &str, account: &str) -> Self {
        let sessions = format!("/v1/{}/sessions", encoded(namespace));
        Self { enters: Some((sessions, account.to_owned())), ..self }
    }

    /// Shows this field of the answer, once, to be copied: a new key or password.
    #[must_use]
    pub fn show(self, field: &'static str, label: impl Into<String>) -> Self {
        Self { show: Some((field, label.into())), ..self }
    }

    /// Says this when it is done.
    #[must_use]
    pub fn done(self, text: impl Into<String>) -> Self {
        Self { done: Some(text.into()), ..self }
    }

    /// If the server refuses with this code, because what the form was made for has changed meanwhile: says this, shows the page as
    /// it is now, and lets [`Field::follows`] take their new values, so that sending again is a new decision. What was typed
    /// stays.
    #[must_use]
    pub fn behind(self, code: &'static str, text: impl Into<String>) -> Self {
        Self { behind: Some((code, text.into())), ..self }
    }

    /// Says this in place of what the server says with this code; `{name}` is what was typed into that field.
    #[must_use]
    pub fn instead(self, code: &'static str, text: impl Into<String>) -> Self {
        Self { instead: Some((code, text.into())), ..self }
    }

    /// Opens in a dialog with this title behind its button.
    #[must_use]
    pub fn in_dialog(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    fn button_class(&self) -> Option<&'static str> {
        match self.tone {
            Tone::Good => Some("primary"),
            Tone::Bad => Some("danger"),
            Tone::Warn | Tone::Info | Tone::Quiet => None,
        }
    }

    fn form(&self) -> Markup {
        let first = self.fields.iter().position(|field| !field.is_hidden());
        let in_dialog = |place| self.title.is_some() && first == Some(place);
        let class = if first.is_some() { "call with-fields" } else { "call" };
        let (behind, behind_text) =
            self.behind.as_ref().map_or((None, None), |behind| (Some(behind.0), Some(&behind.1)));
        let (instead, instead_text) =
            self.instead.as_ref().map_or((None, None), |instead| (Some(instead.0), Some(&instead.1)));
        let (enters, account) = self.enters.as_ref().map_or((None, None), |(at, who)| (Some(at), Some(who)));
        let (show_field, show_label) = self.show.as_ref().map_or((None, None), |show| (Some(show.0), Some(&show.1)));
        html! {
            form class=(class) method="post" action=(self.path)
                data-call=(self.method) data-confirm=[self.confirm.as_ref()] data-go=[self.go.as_ref()]
                data-go-if=[self.go_if.as_ref()] data-enters=[enters] data-account=[account] data-show=[show_field] data-show-label=[show_label]
                data-done=[self.done.as_ref()] data-behind=[behind] data-behind-text=[behind_text]
                data-instead=[instead] data-instead-text=[instead_text] {
                @for (place, field) in self.fields.iter().enumerate() { (field.shown(in_dialog(place))) }
                p.form-error role="alert" hidden {}
                button.(self.button_class().unwrap_or("plain")) type="submit" { (self.button) }
            }
        }
    }
}

impl Render for Form {
    fn render(&self) -> Markup {
        if !self.allowed {
            return html! {};
        }
        let Some(title) = &self.title else { return self.form() };
        html! {
            button.opens.(self.button_class().unwrap_or("plain")) type="button" data-opens { (title) }
            dialog aria-label=(title) {
                header.dialog-head { h2 { (title) } button.close type="button" data-closes aria-labelledby="close-word" { "×" } }
                (self.form())
            }
        }
    }
}

/// The pattern that only this word fits.
fn exactly(word: &str) -> String {
    let mut pattern = String::with_capacity(word.len());
    for letter in word.chars() {
        if r"^$\.*+?()[]{}|/".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// A part of a path as a URL holds it.
#[must_use]
pub fn encoded(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    // A part of dots alone would be taken for a step up.
    if out.bytes().all(|byte| byte == b'.') { out.replace('.', "%2E") } else { out }
}

/// A path with a query of these parameters, those that are given.
#[must_use]
pub fn link(path: &str, query: &[(&str, Option<&str>)]) -> String {
    let given: Vec<_> = query
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", encoded((*value).filter(|value| !value.is_empty())?))))
        .collect();
    if given.is_empty() { path.to_owned() } else { format!("{path}?{}", given.join("&")) }
}

/// Filters of a list: a form that asks for the same page with other parameters. Many of them can be folded, and a phone shows them so
/// unless one is in use.
#[must_use]
pub fn filters(action: &str, fields: &[Field], button: &str) -> Markup {
    let form = html! {
        form.filters method="get" action=(action) role="search" aria-label=(button) {
            @for field in fields { (field) }
            button type="submit" { (button) }
        }
    };
    let seen: Vec<&Field> = fields.iter().filter(|field| !field.is_hidden()).collect();
    if seen.len() <= FILTERS_FEW {
        return form;
    }
    let in_use = seen.iter().any(|field| !field.value.is_empty());
    html! { details.folded-filters open data-used[in_use] { summary { (button) } (form) } }
}

/// So many filters find room on a phone above what they filter.
const FILTERS_FEW: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_9_a_form_escapes_and_encodes_what_it_is_given() {
        let evil = "\"><script>/../?#";
        let form = Form::new("POST", "/v1/main/docs/{id}", evil)
            .with("id", evil)
            .field(Field::new("x", evil, Kind::Text).value(evil).hint(evil))
            .field(Field::new("y", evil, Kind::Json).value(evil))
            .field(Field::new("z", evil, Kind::Text).choices(vec![(evil.into(), evil.into())]))
            .field(Field::hidden("h", &serde_json::json!({ evil: evil })))
            .field(Field::typed(evil, evil))
            .confirm(evil)
            .in_dialog(evil);
        let text = form.render().into_string();
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("/v1/main/docs/%22%3E%3Cscript%3E%2F..%2F%3F%23\""), "{text}");
    }

    #[test]
    fn con_8_many_filters_can_be_folded_and_say_whether_they_are_in_use() {
        let text = |name: &'static str| Field::new(name, name, Kind::Text);
        let hidden = || Field::new("state", "", Kind::Hidden).value("parked");
        let shown = |fields: &[Field]| filters("/x", fields, "Filter").into_string();
        assert!(!shown(&[text("a"), text("b"), text("c"), hidden()]).contains("details"));
        let unused = shown(&[text("a"), text("b"), text("c"), text("d"), hidden()]);
        assert!(unused.contains("open><summary>Filter</summary>"), "{unused}");
        let used = shown(&[text("a"), text("b"), text("c"), text("d").value("x")]);
        assert!(used.contains("open data-used><summary>"), "{used}");
    }

    #[test]
    fn con_5_hidden_fields_and_text_areas_hold_exactly_what_they_are_given() {
        let form = Form::new("POST", "/x", "b")
            .field(Field::new("a.0.v", "", Kind::HiddenJson).value("7").follows("now"))
            .field(Field::new("t", "", Kind::AnyLines).value("\n<x>"))
            .behind("CVERSION", "a \"newer\" one");
        let text = form.render().into_string();
        assert!(text.contains(r#"name="a.0.v" data-kind="json" data-follows="now" value="7""#), "{text}");
        assert!(text.contains("spellcheck=\"false\">\n\n&lt;x&gt;</textarea>"), "{text}");
        assert!(text.contains(r#"data-behind="CVERSION" data-behind-text="a &quot;newer&quot; one""#), "{text}");
    }

    #[test]
    fn con_8_a_dialog_begins_in_its_first_field_and_its_button_has_a_word() {
        let field = |name: &'static str, kind| Field::new(name, name, kind).value("7");
        let form = || {
            let form = Form::new("POST", "/x", "b").field(field("v", Kind::HiddenJson));
            form.field(field("a", Kind::Number)).field(field("b", Kind::Text))
        };
        assert!(!form().render().into_string().contains("autofocus"), "a page begins at its beginning");
        let dialog = form().in_dialog("t").render().into_string();
        let focused: Vec<_> = dialog.split("<input").filter(|input| input.contains("autofocus")).collect();
        assert!(focused.len() == 1 && focused[0].contains("name=\"a\""), "{dialog}");
        assert!(dialog.contains("data-closes aria-labelledby=\"close-word\""), "{dialog}");
    }

    #[test]
    fn con_8_a_field_that_another_choice_has_is_not_there() {
        let field =
            |now| Field::new("a", "a", Kind::Text).required().only_for("role", &["x", "y"], now).render().into_string();
        let (there, not_there) = (field("y"), field("z"));
        assert!(there.contains("data-only=\"role\" data-for=\"x y\">") && !there.contains("disabled"), "{there}");
        assert!(not_there.contains(" hidden>") && not_there.contains(" disabled"), "{not_there}");
    }

    #[test]
    fn con_8_a_moment_that_is_known_is_there_to_be_kept() {
        let field = |at| Field::new("a", "a", Kind::Moment).at(at).render().into_string();
        assert!(field(Some(Wall(60_000))).contains("data-utc=\"1970-01-01T00:01:00.000Z\""));
        assert!(!field(None).contains("data-utc"));
    }

    #[test]
    fn con_9_a_name_of_dots_stays_in_its_place() {
        assert_eq!((encoded(".."), encoded("a.b"), encoded("ü")), ("%2E%2E".into(), "a.b".into(), "%C3%BC".into()));
    }

    #[test]
    fn con_1_what_is_not_allowed_is_not_shown() {
        assert_eq!(Form::new("POST", "/x", "b").allowed(false).render().into_string(), "");
    }

    #[test]
    fn con_8_links_carry_what_is_given() {
        assert_eq!(link("/a", &[("x", Some("1 2")), ("y", None), ("z", Some(""))]), "/a?x=1%202");
        assert_eq!(link("/a", &[]), "/a");
    }
}
