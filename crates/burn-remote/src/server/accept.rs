use super::greeting::greet;
use super::guests::Guests;
use super::sessions::Sessions;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

/// Pause after a system error, such as no more file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// A bound port, and the channel that is notified when it is free again.
#[derive(Debug)]
pub struct Port {
    // Dropped first.
    pub listener: TcpListener,
    pub _free: mpsc::Sender<()>,
}

/// Accepts connections in a loop.
pub async fn accept(port: Port, tls: Option<TlsAcceptor>, sessions: Arc<Sessions>) {
    let guests = Guests::new(sessions.most_guests());
    loop {
        match port.listener.accept().await {
            Ok((stream, _address)) => {
                tokio::spawn(greet(stream, tls.clone(), guests.enter(), sessions.clone()));
            }
            Err(_system) => {
                guests.close_oldest();
                sleep(PAUSE).await;
            }
        }
    }
}
