//! The accept loop: one task per connection, a bound on their number, a drain at the end.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::activity::{Activity, CountedRouter};
use super::handshakes::Handshakes;
use super::limits::EdgeLimits;
use super::socket::Socket;
use super::tls::Tls;
use crate::metrics::{Raised, metrics_handle};
use crate::shutdown::Shutdown;
use crate::wait::pause;

/// Pause after an accept that failed for want of something of ours (descriptors, memory).
const ACCEPT_PAUSE: Duration = Duration::from_millis(250);
/// Time for an idle connection to say good-bye: one that never began to speak HTTP/2 would take for ever.
const GOOD_BYE: Duration = Duration::from_secs(1);
/// How often the recorder of metrics tidies up; without it, samples of histograms would pile up between scrapes.
const METRICS_UPKEEP: Duration = Duration::from_secs(5);

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How the serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were still busy when the drain time was over, and were cut.
    pub cut: usize,
}

/// Serves `router` on `listener` until `shutdown` begins, then finishes requests in flight within the drain time.
pub async fn serve(listener: TcpListener, router: Router, limits: EdgeLimits, shutdown: Shutdown) -> Drained {
    serve_with(listener, None, router, limits, shutdown).await
}

/// As [`serve`], by TLS only.
pub async fn serve_tls(
    listener: TcpListener,
    tls: Tls,
    router: Router,
    limits: EdgeLimits,
    shutdown: Shutdown,
) -> Drained {
    serve_with(listener, Some(tls), router, limits, shutdown).await
}

async fn serve_with(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    limits: EdgeLimits,
    shutdown: Shutdown,
) -> Drained {
    let handshakes = Handshakes::new(limits.connections_max);
    let edge = Arc::new(Edge { builder: limits.builder(), router, limits, shutdown, tls, handshakes });
    let mut connections = JoinSet::new();
    tokio::select! {
        () = edge.shutdown.begun() => {}
        () = accept_all(&edge, &listener, &mut connections) => {}
        () = keep_metrics_small() => {}
    }
    drop(listener);
    drain(connections, edge.limits.drain_timeout).await
}

struct Edge {
    builder: Builder<TokioExecutor>,
    router: Router,
    limits: EdgeLimits,
    shutdown: Shutdown,
    tls: Option<Tls>,
    handshakes: Arc<Handshakes>,
}

/// Never returns: a place is taken first, then a connection, so that what we cannot serve waits in the kernel's queue.
async fn accept_all(edge: &Arc<Edge>, listener: &TcpListener, connections: &mut JoinSet<()>) {
    let places = Arc::new(Semaphore::new(edge.limits.connections_max));
    while let Ok(place) = places.clone().acquire_owned().await {
        let stream = accept(listener).await;
        connections.spawn(connection(edge.clone(), stream, place));
        while connections.try_join_next().is_some() {}
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_the_peers(&error) => {}
            Err(error) => {
                if !told {
                    tracing::warn!(%error, "cannot accept connections, trying again until it works");
                }
                told = true;
                pause(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_the_peers(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(edge: Arc<Edge>, stream: TcpStream, _place: OwnedSemaphorePermit) {
    // Only a socket that is gone already refuses this.
    let _ = stream.set_nodelay(true);
    let _open = Raised::of(metrics::gauge!("fastness_http_connections"));
    let peer = stream.peer_addr().ok().map(|address| address.ip());
    let ended = match &edge.tls {
        None => converse(&edge, stream, peer).await,
        Some(tls) => converse_by_tls(&edge, tls, stream, peer).await,
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "connection ended");
    }
}

async fn converse_by_tls(edge: &Edge, tls: &Tls, stream: TcpStream, peer: Option<IpAddr>) -> Result<(), Failure> {
    let mut place = edge.handshakes.begin();
    let secured = tokio::select! {
        secured = timeout(edge.limits.handshake_timeout, tls.acceptor().accept(stream)) => secured??,
        () = place.ousted() => return Err("too many TLS handshakes, this was the oldest".into()),
        () = edge.shutdown.begun() => return Ok(()),
    };
    drop(place);
    converse(edge, secured, peer).await
}

async fn converse<S>(edge: &Edge, stream: S, peer: Option<IpAddr>) -> Result<(), Failure>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let activity = Arc::new(Activity::default());
    let service = CountedRouter { router: edge.router.clone(), activity: activity.clone(), peer };
    let io = TokioIo::new(Socket::new(stream, edge.limits.header_timeout, edge.limits.write_timeout));
    let mut conversation = pin!(edge.builder.serve_connection(io, service));
    tokio::select! {
        ended = conversation.as_mut() => ended,
        () = edge.shutdown.begun() => {
            conversation.as_mut().graceful_shutdown();
            conversation.await
        }
        () = activity.idle(edge.limits.idle_timeout) => {
            conversation.as_mut().graceful_shutdown();
            timeout(GOOD_BYE, conversation).await.unwrap_or(Ok(()))
        }
    }
}

async fn keep_metrics_small() {
    let handle = metrics_handle();
    let mut tick = interval(METRICS_UPKEEP);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        handle.run_upkeep();
    }
}

async fn drain(mut connections: JoinSet<()>, time: Duration) -> Drained {
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(time, all_ended).await.is_ok() {
        return Drained { cut: 0 };
    }
    let cut = connections.len();
    tracing::warn!(cut, "drain time is over, cutting connections that are still busy");
    connections.shutdown().await;
    Drained { cut }
}
