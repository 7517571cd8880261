//! How a page is looked at.

use std::fmt;

/// Width of a desk's screen.
pub const DESK: u32 = 1440;
/// Width of a phone.
pub const PHONE: u32 = 390;

/// Light or dark, as a person's system has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// As the media query `prefers-color-scheme` says it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Width and theme; both can be changed while looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// Width of the window in pixels.
    pub width: u32,
    /// Light or dark.
    pub theme: Theme,
}

impl Sight {
    /// Every page is looked at in these four ways.
    pub const ALL: [Self; 4] = [
        Self { width: DESK, theme: Theme::Light },
        Self { width: DESK, theme: Theme::Dark },
        Self { width: PHONE, theme: Theme::Light },
        Self { width: PHONE, theme: Theme::Dark },
    ];

    /// Each width and each theme once, for what takes long.
    pub const CROSSWISE: [Self; 2] = [Self::ALL[0], Self::ALL[3]];

    /// A desk by day.
    pub const DESK: Self = Self::ALL[0];

    /// A phone by day.
    pub const PHONE: Self = Self::ALL[2];

    /// Height of the window: a common screen's, or a phone's.
    #[must_use]
    pub fn height(self) -> u32 {
        if self.width < 600 { 844 } else { 900 }
    }
}

impl fmt::Display for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.width, self.theme.word())
    }
}
