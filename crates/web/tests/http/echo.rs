//! A stream of gRPC to look at the edge with: it says what it hears, and keeps and fetches bytes.

use base::Ran;
use kernel::{Kept, Out, Role, Session, SessionDef, SessionEvent, Topic, Watch};
use web::GrpcStream;

pub static STREAMS: [GrpcStream; 1] =
    [GrpcStream { path: "/probe.Echo/Talk", session: &ECHO, roles: &[Role::App], summary: "Says what it hears" }];

static ECHO: SessionDef = SessionDef { name: "probe.echo", open: |_, _| Box::new(Echo { heard: 0 }) };

struct Echo {
    heard: u64,
}

fn say(text: impl Into<Vec<u8>>) -> Vec<Out> {
    vec![Out::Reply(text.into())]
}

impl Session for Echo {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(bytes) => self.message(bytes),
            SessionEvent::Ended { result, .. } => match result.map(serde_json::from_value::<Kept>) {
                Ok(Ok(kept)) => say(kept.sha),
                other => say(format!("{other:?}")),
            },
            SessionEvent::Bytes { result, .. } => say(result.unwrap_or_else(|error| error.code.name.into())),
            SessionEvent::News(_) => say("news"),
            SessionEvent::Stopping => say("good-bye"),
            SessionEvent::Timer(_) | SessionEvent::Wake | SessionEvent::Sent => vec![],
            // Another one may have left this behind.
            SessionEvent::Gone => {
                vec![Out::Call { call: 99, op: "probe.add", input: serde_json::json!({ "name": "gone" }) }]
            }
        }
    }
}

impl Echo {
    fn message(&mut self, bytes: Vec<u8>) -> Vec<Out> {
        self.heard += 1;
        let call = self.heard;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match text.split_once(' ') {
            Some(("keep", what)) => vec![Out::Keep { call, bytes: what.into() }],
            Some(("fetch", sha)) => vec![Out::Fetch { call, sha: sha.into(), from: 1, len: 3 }],
            Some(("watch", topic)) => {
                vec![Out::Watch(Watch::Topic(Topic::of(topic))), Out::Reply(b"watching".to_vec())]
            }
            Some(("flood", size)) => vec![Out::Reply(vec![7; size.parse().unwrap_or(0)])],
            _ if text == "close" => vec![Out::Close],
            _ => say(bytes),
        }
    }
}
