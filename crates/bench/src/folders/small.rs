//! Many small files, in groups of which each is one commit.

use std::time::Instant;

use anyhow::Result;
use folders::wire::client_message::Message as Say;
use folders::wire::server_message::Message as Hear;
use folders::wire::{AskVersionIncrease, FileChunk, FileType, FileWrite, FileWriteEnd};
use serde_json::{Value, json};

use super::stream::{Line, Stream};
use super::{block_on, change, directory};
use crate::contest::Effort;
use crate::documents::Process;
use crate::report::{Figure, Unit};
use crate::sensors::KEY;

const BYTES: usize = 4_096;

/// Files of 4 KiB by one client, group after group.
pub fn files(_: &Effort, server: &Process) -> Result<Value> {
    let mut told = vec![];
    for (group, groups) in [(1, 500), (50, 40), (400, 25)] {
        let id = directory(server.address)?;
        let seconds = block_on(async {
            let mut stream = Line::open(server.address).await?.stream(KEY).await?;
            let begun = Instant::now();
            for number in 0..groups {
                upload(&mut stream, &id, number, group, BYTES).await?;
            }
            Ok(begun.elapsed().as_secs_f64())
        })?;
        let (files, rate) = (group * groups, (group * groups) as f64 / seconds);
        println!("  {files:>6} files of 4 KiB, {group:>3} to a group: {seconds:>6.2} s, {rate:>6.0} files/s");
        Figure::new(format!("files of 4 KiB, {group} to a group"), Unit::PerSecond).side("ours", &[rate]).tell();
        told.push(json!({ "group": group, "files": files, "seconds": seconds, "rate": rate }));
    }
    Ok(json!(told))
}

/// So many groups of files that are nearly empty; gives their directory.
pub fn fill(server: &Process, groups: usize, group: usize) -> Result<String> {
    let id = directory(server.address)?;
    block_on(async {
        let mut stream = Line::open(server.address).await?.stream(KEY).await?;
        for number in 0..groups {
            upload(&mut stream, &id, number, group, 1).await?;
        }
        Ok(())
    })?;
    Ok(id)
}

async fn upload(stream: &mut Stream, directory: &str, number: usize, size: usize, bytes: usize) -> Result<()> {
    let path = |place: usize| format!("{size}-{number}-{place}");
    let files = (0..size).map(|place| change(directory, None, &path(place), FileType::File, true)).collect();
    stream.say(Say::AskVersionIncrease(AskVersionIncrease { files })).await?;
    stream.hear_until(|heard| matches!(heard, Hear::VersionIncreaseAllow(_)).then_some(())).await?;
    for place in 0..size {
        let mut data = path(place).into_bytes();
        data.resize(bytes.max(data.len()), b'.');
        let chunk =
            FileChunk { directory_id: directory.to_owned(), current_path: path(place), data, ..FileChunk::default() };
        stream.say(Say::FileWrite(FileWrite { chunk: Some(chunk) })).await?;
    }
    stream.say(Say::FileWriteEnd(FileWriteEnd::default())).await?;
    stream.increased().await?;
    Ok(())
}
