//! Pictures of pages.

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Eyes;

/// Chromium draws nothing below this.
const HEIGHT_MAX: u64 = 16_000;

/// What of a page comes on a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What fits the window.
    Window,
    /// The whole length, as far as Chromium draws it.
    Whole,
}

impl Eyes {
    /// A PNG of the page.
    ///
    /// # Errors
    /// The browser is gone.
    pub fn png(&self, part: Part) -> Result<Vec<u8>> {
        let mut params = json!({ "format": "png" });
        if part == Part::Whole {
            let height = self.script("return document.documentElement.scrollHeight", vec![])?;
            let height = height.as_u64().unwrap_or_default().clamp(u64::from(self.sight.height()), HEIGHT_MAX);
            params["captureBeyondViewport"] = true.into();
            params["clip"] = json!({ "x": 0, "y": 0, "width": self.sight.width, "height": height, "scale": 1 });
        }
        let picture = self.cdp("Page.captureScreenshot", params)?;
        let data = picture["data"].as_str().map(str::as_bytes).unwrap_or_default();
        STANDARD.decode(data).context("the picture is no base64")
    }
}
