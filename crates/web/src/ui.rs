//! The look of every page: one frame, one style sheet, no script, nothing from elsewhere.
use crate::app::AppConfig;
use crate::route::Table;
use crate::system::Ready;
use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
pub(crate) async fn style() -> Response {
    "".into_response()
}
pub(crate) fn page(html: Bytes) -> Response {
    html.into_response()
}
pub(crate) fn docs_page(_: &Table, _: &Value, _: &AppConfig) -> String {
    String::new()
}
pub(crate) fn status_page(_: &Ready, _: &AppConfig) -> String {
    String::new()
}
