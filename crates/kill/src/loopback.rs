//! Somebody outside who listens on the loopback, one thread for each connection.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves whoever connects until `is_over`, which is looked at when the next one does.
pub(crate) fn listen<T: Send + Sync + 'static>(
    who: &Arc<T>,
    is_over: fn(&T) -> bool,
    serve: fn(&T, TcpStream) -> io::Result<()>,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let held = who.clone();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if is_over(&held) {
                return;
            }
            let who = held.clone();
            thread::spawn(move || drop(serve(&who, stream)));
        }
    });
    Ok(address)
}
