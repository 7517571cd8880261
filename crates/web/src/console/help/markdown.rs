//! Markdown as a page: what the guides use of it, and nothing more. Pictures are left out; markup in the text is text.
//!
//! Invariant: every text goes through [`escape`]; tags and attributes are ours, and an address is `http`, `https` or one of our pages.

use std::collections::BTreeMap;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// To a page of ours.
    Page(String),
    /// To another site.
    Elsewhere(String),
    /// To what is not here.
    Nowhere,
}

/// A guide as a page.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) title: String,
    /// What links name the page as a whole by.
    pub(super) id: String,
    /// Without the title.
    pub(super) headings: Vec<Heading>,
    pub(super) html: String,
}

/// A heading that links lead to.
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) id: String,
    pub(super) text: String,
}

/// Ids that stand around every page of the console.
const TAKEN: [&str; 8] = ["content", "find", "find-list", "find-told", "keyboard", "live", "side", "toasts"];

/// The id of a section on its page: as links name it, unless the page has one of that name already.
pub(super) fn place(section: &str) -> String {
    if TAKEN.contains(&section) { format!("guide-{section}") } else { section.to_owned() }
}

/// Makes a page of a text. `copy` is what the buttons of blocks say.
pub(super) fn render(text: &str, copy: &str, to: &dyn Fn(&str) -> Target) -> Rendered {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer {
        copy,
        to,
        page: Rendered::default(),
        ids: BTreeMap::new(),
        heading: None,
        block: None,
        links: vec![],
        images: 0,
        in_head: false,
    };
    Parser::new_ext(text, options).for_each(|event| writer.event(event));
    writer.page
}

struct Writer<'a> {
    copy: &'a str,
    to: &'a dyn Fn(&str) -> Target,
    page: Rendered,
    /// How often each id was given.
    ids: BTreeMap<String, usize>,
    /// The heading that is being read: where it begins, and its words.
    heading: Option<(usize, String)>,
    /// The block of code that is being read.
    block: Option<String>,
    /// What closes each open link.
    links: Vec<&'static str>,
    /// Pictures around what is read.
    images: usize,
    in_head: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => {
                self.push("<code>");
                self.text(&text);
                self.push("</code>");
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.push("<br>"),
            Event::Rule => self.push("<hr>"),
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn push(&mut self, tag: &str) {
        if self.images == 0 {
            self.page.html.push_str(tag);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(block) = &mut self.block {
            return block.push_str(text);
        }
        if self.images > 0 {
            return;
        }
        if let Some((_, words)) = &mut self.heading {
            words.push_str(text);
        }
        escape(&mut self.page.html, text);
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push("<p>"),
            Tag::Heading { .. } => self.heading = Some((self.page.html.len(), String::new())),
            Tag::BlockQuote(_) => self.push("<blockquote>"),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => self.block = Some(String::new()),
            Tag::List(Some(first)) => self.push(&format!("<ol start=\"{first}\">")),
            Tag::List(None) => self.push("<ul>"),
            Tag::Item => self.push("<li>"),
            Tag::Table(_) => {
                self.push("<div class=\"guide-table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>")
            }
            Tag::TableHead => {
                self.in_head = true;
                self.push("<thead><tr>");
            }
            Tag::TableRow => self.push("<tr>"),
            Tag::TableCell => self.push(if self.in_head { "<th scope=\"col\">" } else { "<td>" }),
            Tag::Emphasis => self.push("<em>"),
            Tag::Strong => self.push("<strong>"),
            Tag::Strikethrough => self.push("<s>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { .. } => self.images += 1,
            // What no guide uses: its text is shown.
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.paragraph(),
            TagEnd::Heading(level) => self.titled(level),
            TagEnd::BlockQuote(_) => self.push("</blockquote>"),
            TagEnd::CodeBlock => self.code(),
            TagEnd::List(true) => self.push("</ol>"),
            TagEnd::List(false) => self.push("</ul>"),
            TagEnd::Item => self.push("</li>"),
            TagEnd::Table => self.push("</tbody></table></div>"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.push("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.push("</tr>"),
            TagEnd::TableCell => self.push(if self.in_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.push("</em>"),
            TagEnd::Strong => self.push("</strong>"),
            TagEnd::Strikethrough => self.push("</s>"),
            TagEnd::Link => {
                let close = self.links.pop().unwrap_or_default();
                self.push(close);
            }
            TagEnd::Image => self.images -= 1,
            _ => {}
        }
    }

    /// One that held a picture alone is none.
    fn paragraph(&mut self) {
        match self.page.html.strip_suffix("<p>").map(str::len) {
            Some(before) => self.page.html.truncate(before),
            None => self.push("</p>"),
        }
    }

    fn link(&mut self, to: &str) {
        let (href, more, close) = match (self.to)(to) {
            Target::Page(href) => (href, "", "</a>"),
            Target::Elsewhere(href) => (href, " rel=\"noopener noreferrer\"", "</a>"),
            Target::Nowhere => return self.links.push(""),
        };
        let mut tag = "<a href=\"".to_owned();
        escape(&mut tag, &href);
        self.push(&format!("{tag}\"{more}>"));
        self.links.push(close);
    }

    /// The first one is the page's title, which stands above it.
    fn titled(&mut self, level: HeadingLevel) {
        let Some((begins, words)) = self.heading.take() else { return };
        let inner = self.page.html.split_off(begins);
        let (level, id) = (level as usize, self.id(&words));
        if level == 1 && self.page.title.is_empty() {
            (self.page.title, self.page.id) = (words, id);
            return;
        }
        self.push(&format!("<h{level} id=\"{id}\">{inner}</h{level}>"));
        self.page.headings.push(Heading { level, id, text: words });
    }

    /// As GitHub makes them: small letters, digits, `-` and `_`, spaces as `-`; the second of a kind is numbered.
    fn id(&mut self, words: &str) -> String {
        let kept = words.to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let id: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
        let given = self.ids.entry(id.clone()).and_modify(|count| *count += 1).or_default();
        if *given == 0 { place(&id) } else { format!("{id}-{given}") }
    }

    fn code(&mut self) {
        let text = self.block.take().unwrap_or_default();
        let mut code = String::new();
        escape(&mut code, text.trim_end_matches('\n'));
        let mut copy = String::new();
        escape(&mut copy, self.copy);
        self.push(&format!(
            "<div class=\"command\"><pre class=\"data\" tabindex=\"0\"><code>{code}</code></pre>\
             <button type=\"button\" data-copy=\"{code}\">{copy}</button></div>"
        ));
    }
}

/// Adds a text as HTML shows it, also within an attribute.
fn escape(html: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let to = |link: &str| match link {
            "nowhere" => Target::Nowhere,
            out if out.starts_with("http") => Target::Elsewhere(out.to_owned()),
            page => Target::Page(format!("/h/{page}")),
        };
        render(text, "Copy", &to).html
    }

    #[test]
    fn con_13_markup_in_a_guide_is_text() {
        let evil = "<img src=x onerror=alert(1)> a <b>bold</b> `<i>` [x](a\"onmouseover=\"b) ![<svg>](y.svg)\n\n<script>alert(1)</script>\n\n```html\n<br data-x='1'>\n```\n\n| <u> |\n|---|\n| <s> |\n";
        let page = html(evil);
        for tag in ["<img", "<b>", "<i>", "<script", "<br", "<svg", "<u>", "<s>", "\"onmouseover", "data-x='"] {
            assert!(!page.contains(tag), "{tag} in {page}");
        }
        assert!(
            page.contains("&lt;img src=x onerror=alert(1)&gt;") && page.contains("<code>&lt;i&gt;</code>"),
            "{page}"
        );
    }

    #[test]
    fn con_13_headings_have_the_ids_of_github() {
        let page = render(
            "# The *guide*\n\n## What is `a_b`, really?\n\n## Twice\n\n## Twice\n\n## Live\n\n### Füße & co.\n",
            "",
            &|_| Target::Nowhere,
        );
        assert_eq!((page.title.as_str(), page.id.as_str()), ("The guide", "the-guide"));
        let ids: Vec<_> = page.headings.iter().map(|heading| heading.id.as_str()).collect();
        assert_eq!(ids, ["what-is-a_b-really", "twice", "twice-1", "guide-live", "füße--co"]);
        assert!(
            page.html.starts_with("<h2 id=\"what-is-a_b-really\">What is <code>a_b</code>, really?</h2>"),
            "{}",
            page.html
        );
    }

    #[test]
    fn con_13_links_lead_somewhere_or_are_text_and_pictures_are_left_out() {
        assert_eq!(html("[a](b.md) [c](nowhere)"), "<p><a href=\"/h/b.md\">a</a> c</p>");
        assert_eq!(
            html("<https://a.example>"),
            "<p><a href=\"https://a.example\" rel=\"noopener noreferrer\">https://a.example</a></p>"
        );
        assert_eq!(html("before\n\n![A picture](a.png)\n\nafter ![x](y)"), "<p>before</p><p>after </p>");
    }

    #[test]
    fn con_13_blocks_can_be_copied_and_tables_have_heads() {
        let block = html("```sh\necho \"a\" && b\n```");
        assert!(block.contains("<code>echo &quot;a&quot; &amp;&amp; b</code>"), "{block}");
        assert!(block.contains("data-copy=\"echo &quot;a&quot; &amp;&amp; b\">Copy<"), "{block}");
        let table = html("| a | b |\n|---|---|\n| 1 | `2` |\n");
        assert!(table.contains("<thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody>"), "{table}");
        assert_eq!(html("3. x\n4. y\n"), "<ol start=\"3\"><li>x</li><li>y</li></ol>");
    }
}
