//! stub
pub const IGNORE_FILE: &str = ".fastnessignore";
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignores;
impl Ignores { pub fn set(&mut self, _f: &str, _t: Option<&str>) {} pub fn has_file_in(&self, _f: &str) -> bool { false } pub fn is_ignored(&self, _p: &str, _d: bool) -> bool { false } }
