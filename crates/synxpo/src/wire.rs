//! The messages of the stream, made out of `proto/synxpo.proto`.

#![expect(missing_docs, reason = "the cases of a one-of are the messages that they hold")]

include!(concat!(env!("OUT_DIR"), "/synxpo.rs"));
