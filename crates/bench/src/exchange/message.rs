//! Messages as our devices send them; others get the same bytes.

use std::sync::atomic::{AtomicU64, Ordering};

/// A message, and who sends it.
pub struct Message {
    pub sender: usize,
    pub text: String,
}

/// So many, in turn of each sender, each with an id of its own.
pub fn make(senders: usize, count: usize, bytes: usize) -> Vec<Message> {
    (0..count).map(|number| one(number % senders, bytes)).collect()
}

fn one(sender: usize, bytes: usize) -> Message {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // The device's id, which the server gave, takes the place of the dollar sign.
    let head = format!(
        r#"{{"version":1,"id":"m-{number}","head":{{"company":"bench","subsystem":"sales","from":"$","to":"{}","created_at":"2026-11-16T12:00:00Z"}},"body":{{"type":"order","version":1,"payload":""#,
        database(sender)
    );
    let filling = "x".repeat(bytes.saturating_sub(head.len() + 30));
    Message { sender, text: format!(r#"{head}{filling}"}}}}"#) }
}

/// The database that a sender writes to.
pub fn database(sender: usize) -> String {
    format!("erp{}", sender % super::TAKERS)
}
