use super::connection;
use super::sessions::Sessions;
use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;
use axum::routing::any;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// After an error of the system, such as no more files.
const PAUSE: Duration = Duration::from_millis(50);

fn router(sessions: Arc<Sessions>) -> Router {
    Router::new().route("/", any(upgrade)).with_state(sessions)
}

async fn upgrade(State(sessions): State<Arc<Sessions>>, upgrade: WebSocketUpgrade) -> Response {
    let largest = sessions.options().limits.frame_bytes;
    let upgrade = upgrade.max_message_size(largest).max_frame_size(largest);
    upgrade.on_upgrade(move |socket| connection::serve(socket, sessions))
}

/// A port, and who is told when it is free again.
#[derive(Debug)]
pub struct Port {
    // Dropped first.
    pub listener: TcpListener,
    pub _free: mpsc::Sender<()>,
}

/// Takes connections, for ever.
pub async fn accept(port: Port, tls: Option<TlsAcceptor>, sessions: Arc<Sessions>) {
    let app = router(sessions.clone());
    // As many may be on the way to the websocket as may be there without a session.
    let guests = Arc::new(Semaphore::new(sessions.guests().available_permits()));
    loop {
        let Ok(guest) = guests.clone().acquire_owned().await else { return };
        let stream = match port.listener.accept().await {
            Ok((stream, _address)) => stream,
            Err(_system) => {
                sleep(PAUSE).await;
                continue;
            }
        };
        let (app, tls, patience) = (app.clone(), tls.clone(), sessions.options().handshake_timeout);
        tokio::spawn(async move {
            greet(stream, tls, app, patience).await;
            drop(guest);
        });
    }
}

/// TLS and HTTP, up to the websocket.
async fn greet(stream: TcpStream, tls: Option<TlsAcceptor>, app: Router, patience: Duration) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    match tls {
        None => http(stream, app, patience).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(patience, tls.accept(stream)).await {
                http(stream, app, patience).await;
            }
        }
    }
}

async fn http(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, app: Router, patience: Duration) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    // A guest that speaks no HTTP is nobody whom to tell.
    let _served = connection.with_upgrades().await;
}
