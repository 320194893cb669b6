//! A connection that can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default)]
struct State {
    /// The address of the server.
    server: Mutex<String>,
    sockets: Mutex<Vec<TcpStream>>,
    passed: AtomicUsize,
    connections: AtomicUsize,
}

/// Passes bytes on between whoever connects and a server.
pub struct Proxy {
    pub url: String,
    state: Arc<State>,
}

impl Proxy {
    /// Creates a proxy in front of the server at `url`.
    pub fn new(url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let proxy = Proxy {
            url: format!("ws://{}", listener.local_addr().expect("it is bound")),
            state: Arc::<State>::default(),
        };
        proxy.lead_to(url);
        let shared = proxy.state.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // A server that is gone closes the connection.
                let server = shared.server.lock().unwrap().clone();
                let Ok(server) = TcpStream::connect(server) else { continue };
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let copy = |stream: &TcpStream| stream.try_clone().expect("a socket can be shared");
                shared.sockets.lock().unwrap().extend([copy(&client), copy(&server)]);
                pass(copy(&client), copy(&server), shared.clone());
                pass(server, client, shared.clone());
            }
        });
        proxy
    }

    /// Redirects new connections to the server at `url`.
    pub fn lead_to(&self, url: &str) {
        let address = url.strip_prefix("ws://").expect("without TLS");
        address.clone_into(&mut self.state.server.lock().unwrap());
    }

    /// Cuts all connections; new ones are taken.
    pub fn cut(&self) {
        for socket in self.state.sockets.lock().unwrap().drain(..) {
            let _closed = socket.shutdown(Shutdown::Both);
        }
    }

    /// Returns the number of forwarded bytes, both ways.
    pub fn passed(&self) -> usize {
        self.state.passed.load(Ordering::SeqCst)
    }

    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, state: Arc<State>) {
    thread::spawn(move || {
        let mut bytes = [0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
            state.passed.fetch_add(count, Ordering::SeqCst);
        }
        let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    });
}
