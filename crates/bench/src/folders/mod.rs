//! `bench folders-server`: the server of folders by itself, over its stream: commits of metadata, bytes up and down, how fast a change is told
//! to a thousand, the rename of a large tree, and memory while two gibibytes come in. Every commit is durable before it is answered.

mod small;
mod stream;

pub use small::fill;

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use folders::wire::client_message::Message as Say;
use folders::wire::server_message::Message as Hear;
use folders::wire::{
    AskVersionIncrease, DirectorySubscribe, FileChunk, FileMetadata, FileType, FileWrite, FileWriteEnd,
    RequestFileContent, Timestamp, ask_version_increase::FileInfo, request_file_content,
};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::contest::Effort;
use crate::disk::print_sync_time;
use crate::documents::{Process, ask_all, ask_json, request};
use crate::report::{Figure, Unit};
use crate::sensors::{KEY, start_process};
use stream::{Line, Stream};

/// Files of the tree that is renamed.
const TREE: usize = 100_000;
/// Changes of one group.
const GROUP: usize = 400;
/// With the writer as many streams as a namespace has by default.
const SUBSCRIBERS: usize = 990;
/// Streams that a key has by default, and that share a connection here.
const OF_KEY: usize = 90;
const PIECE: usize = 1 << 20;
const MIB: f64 = 1_048_576.0;

/// Measures something of a server, and tells the figures.
type Part = fn(&Effort, &Process) -> Result<Value>;

/// Runs every part whose name has the text.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    let parts: [(&str, Part); 6] = [
        ("commits", commits),
        ("small", small::files),
        ("bytes", bytes),
        ("fan-out", fan_out),
        ("rename", rename),
        ("memory", memory),
    ];
    for (name, part) in parts.into_iter().filter(|(name, _)| name.contains(&effort.only)) {
        println!("\nfolders-server: {name}");
        let figures = part(effort, &serve(&folder.join(name))?)?;
        println!("{}", json!({ "bench": "folders-server", "name": name, "figures": figures }));
    }
    print_sync_time(&folder)
}

fn serve(home: &Path) -> Result<Process> {
    std::fs::create_dir(home)?;
    start_process(home)
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    Builder::new_current_thread().enable_all().build()?.block_on(work)
}

fn ask(address: SocketAddr, method: &str, path: &str, body: &Value) -> Result<Value> {
    let path = format!("/v1/main/{path}");
    ask_json(address, &request(method, &path, &format!("Bearer {KEY}"), &body.to_string()))
}

fn directory(address: SocketAddr) -> Result<String> {
    let made = ask(address, "POST", "folders/directories", &json!({ "name": "bench" }))?;
    made["id"].as_str().map(str::to_owned).with_context(|| made.to_string())
}

/// A change of a folder or file.
fn change(directory: &str, id: Option<&str>, path: &str, kind: FileType, brings: bool) -> FileInfo {
    FileInfo {
        id: id.map(str::to_owned),
        directory_id: directory.to_owned(),
        first_try_time: Some(Timestamp { time: 1 }),
        current_path: path.to_owned(),
        content_changed: brings,
        r#type: kind.into(),
        ..FileInfo::default()
    }
}

async fn commit(stream: &mut Stream, files: Vec<FileInfo>) -> Result<Vec<FileMetadata>> {
    stream.say(Say::AskVersionIncrease(AskVersionIncrease { files })).await?;
    stream.increased().await
}

/// Folders that are made one after the other by each client: in a directory of its own, and all in one.
fn commits(effort: &Effort, server: &Process) -> Result<Value> {
    let mut told = vec![];
    for (clients, is_shared) in [(1, false), (16, false), (16, true), (64, false)] {
        let shared = directory(server.address)?;
        let directories: Result<Vec<String>> =
            (0..clients).map(|_| if is_shared { Ok(shared.clone()) } else { directory(server.address) }).collect();
        let (rate, p50_ms, p99_ms) = block_on(commit_all(server.address, directories?, effort.side))?;
        let place = if is_shared { "one directory" } else { "a directory each" };
        println!("  {clients:>3} clients, {place:<17} {rate:>8.0} commits/s   p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms");
        Figure::new(format!("commits of metadata, {clients} clients, {place}"), Unit::PerSecond)
            .side("ours", &[rate])
            .tell();
        told.push(json!({ "clients": clients, "shared": is_shared, "rate": rate, "p50_ms": p50_ms, "p99_ms": p99_ms }));
    }
    Ok(json!(told))
}

async fn commit_all(address: SocketAddr, directories: Vec<String>, time: Duration) -> Result<(f64, f64, f64)> {
    let begun = Instant::now();
    let clients = directories.iter().enumerate().map(|(client, directory)| async move {
        let mut stream = Line::open(address).await?.stream(KEY).await?;
        let mut waits = vec![];
        while begun.elapsed() < time {
            let path = format!("{client}-{}", waits.len());
            let asked = Instant::now();
            commit(&mut stream, vec![change(directory, None, &path, FileType::Folder, false)]).await?;
            waits.push(asked.elapsed().as_secs_f64() * 1e3);
        }
        anyhow::Ok(waits)
    });
    let mut waits: Vec<f64> = try_join_all(clients).await?.into_iter().flatten().collect();
    let rate = waits.len() as f64 / begun.elapsed().as_secs_f64();
    waits.sort_by(f64::total_cmp);
    Ok((rate, waits[waits.len() / 2], waits[waits.len() * 99 / 100]))
}

/// Bytes that differ in every piece, so that none is there already.
fn piece(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let words = (0..PIECE / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.collect()
}

/// Writes a file of so many pieces.
async fn upload(stream: &mut Stream, directory: &str, path: &str, pieces: u64) -> Result<FileMetadata> {
    let files = vec![change(directory, None, path, FileType::File, true)];
    stream.say(Say::AskVersionIncrease(AskVersionIncrease { files })).await?;
    stream.hear_until(|heard| matches!(heard, Hear::VersionIncreaseAllow(_)).then_some(())).await?;
    for number in 0..pieces {
        let chunk = FileChunk {
            directory_id: directory.to_owned(),
            data: piece(number + 1),
            offset: number * PIECE as u64,
            current_path: path.to_owned(),
            ..FileChunk::default()
        };
        stream.say(Say::FileWrite(FileWrite { chunk: Some(chunk) })).await?;
    }
    stream.say(Say::FileWriteEnd(FileWriteEnd::default())).await?;
    stream.increased().await?.pop().context("a file")
}

async fn download(stream: &mut Stream, directory: &str, id: &str) -> Result<usize> {
    let file =
        request_file_content::FileId { id: id.to_owned(), directory_id: directory.to_owned(), ..Default::default() };
    stream.say(Say::RequestFileContent(RequestFileContent { files: vec![file] })).await?;
    let mut size = 0;
    loop {
        match stream.hear().await? {
            Hear::FileWrite(write) => size += write.chunk.map_or(0, |chunk| chunk.data.len()),
            Hear::FileWriteEnd(_) => return Ok(size),
            Hear::Error(error) => anyhow::bail!("{error:?}"),
            _ => {}
        }
    }
}

/// One file of 256 MiB up and down.
fn bytes(effort: &Effort, server: &Process) -> Result<Value> {
    const PIECES: u64 = 256;
    let id = directory(server.address)?;
    let (mut up, mut down) = (vec![], vec![]);
    for round in 0..effort.rounds {
        let (up_s, down_s) = block_on(async {
            let mut stream = Line::open(server.address).await?.stream(KEY).await?;
            let begun = Instant::now();
            let path = format!("large {round}");
            let file = upload(&mut stream, &id, &path, PIECES).await?;
            let up_s = begun.elapsed().as_secs_f64();
            let begun = Instant::now();
            let size = download(&mut stream, &id, file.id.as_deref().unwrap_or_default()).await?;
            ensure!(size as u64 == PIECES * PIECE as u64, "{size} bytes came back");
            Ok((up_s, begun.elapsed().as_secs_f64()))
        })?;
        // The same pieces are there from the second round on, and are still sent, hashed and compared.
        println!("  up {:>6.0} MiB/s, down {:>6.0} MiB/s", PIECES as f64 / up_s, PIECES as f64 / down_s);
        up.push(PIECES as f64 / up_s);
        down.push(PIECES as f64 / down_s);
    }
    Figure::new("bytes of one file up", Unit::MebibytesPerSecond).side("ours", &up).tell();
    Figure::new("bytes of one file down", Unit::MebibytesPerSecond).side("ours", &down).tell();
    Ok(json!({ "up_mib_s": up, "down_mib_s": down }))
}

/// From the question for a change until everybody who subscribed has heard of it.
fn fan_out(effort: &Effort, server: &Process) -> Result<Value> {
    let address = server.address;
    let id = directory(address)?;
    let patch = (format!("/v1/main/folders/directories/{id}"), json!({ "anyone": "read" }).to_string());
    ask_all(address, &[request("PATCH", &patch.0, &format!("Bearer {KEY}"), &patch.1)])?;
    let keys: Result<Vec<String>> = (0..SUBSCRIBERS.div_ceil(OF_KEY)).map(|_| key(address)).collect();
    let (keys, rounds) = (keys?, effort.rounds.max(3));
    let mut all_ms = block_on(async {
        let mut streams = subscribe(address, &id, &keys).await?;
        let mut writer = Line::open(address).await?.stream(KEY).await?;
        let mut all_ms = vec![];
        for round in 0..rounds {
            let begun = Instant::now();
            let path = format!("told {round}");
            let told = try_join_all(streams.iter_mut().map(hear_of_change));
            let made = commit(&mut writer, vec![change(&id, None, &path, FileType::Folder, false)]);
            let (_, _) = futures_util::future::try_join(told, made).await?;
            all_ms.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        Ok(all_ms)
    })?;
    all_ms.sort_by(f64::total_cmp);
    println!(
        "  {SUBSCRIBERS} subscribers, all of them told after {:.1} ms [{:.1} – {:.1}]",
        all_ms[all_ms.len() / 2],
        all_ms[0],
        all_ms[all_ms.len() - 1]
    );
    Figure::new(format!("a change until {SUBSCRIBERS} subscribers have heard of it"), Unit::Milliseconds)
        .side("ours", &all_ms)
        .tell();
    Ok(json!({ "subscribers": SUBSCRIBERS, "all_ms": all_ms }))
}

fn key(address: SocketAddr) -> Result<String> {
    let made = ask(address, "POST", "keys", &json!({ "role": "app", "label": "bench" }))?;
    made["key"].as_str().map(str::to_owned).with_context(|| made.to_string())
}

async fn subscribe(address: SocketAddr, directory: &str, keys: &[String]) -> Result<Vec<Stream>> {
    let mut streams = vec![];
    for key in keys {
        let line = Line::open(address).await?;
        for _ in 0..OF_KEY.min(SUBSCRIBERS - streams.len()) {
            let mut stream = line.stream(key).await?;
            let wanted = DirectorySubscribe { directory_id: directory.to_owned(), ..DirectorySubscribe::default() };
            stream.say(Say::DirectorySubscribe(wanted)).await?;
            stream.hear_until(|heard| matches!(heard, Hear::OkSubscribed(_)).then_some(())).await?;
            streams.push(stream);
        }
    }
    Ok(streams)
}

async fn hear_of_change(stream: &mut Stream) -> Result<()> {
    stream.hear_until(|heard| matches!(heard, Hear::CheckVersion(_)).then_some(())).await
}

/// The folder of a tree of a hundred thousand is renamed, there and back.
fn rename(effort: &Effort, server: &Process) -> Result<Value> {
    let id = directory(server.address)?;
    let mut all_ms = block_on(async {
        let mut stream = Line::open(server.address).await?.stream(KEY).await?;
        let top = commit(&mut stream, vec![change(&id, None, "tree 0", FileType::Folder, false)]).await?;
        let top = top.into_iter().next().and_then(|file| file.id).context("a folder")?;
        for group in 0..TREE / GROUP {
            let path = |place: usize| format!("tree 0/{group}-{place}");
            let files = (0..GROUP).map(|place| change(&id, None, &path(place), FileType::Folder, false));
            commit(&mut stream, files.collect()).await?;
        }
        let mut all_ms = vec![];
        for round in 1..=effort.rounds.max(3) {
            let begun = Instant::now();
            let path = format!("tree {round}");
            commit(&mut stream, vec![change(&id, Some(&top), &path, FileType::Folder, false)]).await?;
            all_ms.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        Ok(all_ms)
    })?;
    all_ms.sort_by(f64::total_cmp);
    println!(
        "  a folder with {TREE} in it, renamed in one commit: {:.2} ms [{:.2} – {:.2}]",
        all_ms[all_ms.len() / 2],
        all_ms[0],
        all_ms[all_ms.len() - 1]
    );
    Figure::new(format!("a folder with {TREE} in it is renamed"), Unit::Milliseconds)
        .side("ours", &all_ms)
        .goal(50.0)
        .tell();
    Ok(json!({ "tree": TREE, "ms": all_ms }))
}

/// Memory before, while and after two gibibytes come in.
fn memory(_: &Effort, server: &Process) -> Result<Value> {
    const PIECES: u64 = 2_048;
    let (id, before) = (directory(server.address)?, server.memory()?);
    let begun = Instant::now();
    block_on(async {
        let mut stream = Line::open(server.address).await?.stream(KEY).await?;
        upload(&mut stream, &id, "two gibibytes", PIECES).await
    })?;
    let (seconds, after) = (begun.elapsed().as_secs_f64(), server.memory()?);
    println!(
        "  2 GiB in {seconds:.1} s ({:.0} MiB/s): {:.0} MiB before, {:.0} MiB at most, {:.0} MiB afterwards",
        PIECES as f64 * PIECE as f64 / MIB / seconds,
        before.resident_mib,
        after.highest_mib,
        after.resident_mib
    );
    Figure::new("memory while 2 GiB come in, at most", Unit::Mebibytes).side("ours", &[after.highest_mib]).tell();
    let told = [before.resident_mib, after.highest_mib, after.resident_mib];
    Ok(json!({ "seconds": seconds, "before_highest_after_mib": told }))
}
