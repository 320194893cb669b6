//! Connections without a session: they keep no session out, have one deadline for all that they have to say,
//! and cost little.

use crate::raw::Raw;
use crate::{assert_empty, options, start, start_process};
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerError, ServerOptions};
use burn_remote::wire::{Hello, Refusal};
use burn_remote::{Remote, RemoteDevice};
use burn_tensor::{Tensor, TensorData};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);
/// Time within which the server must have closed a connection.
const PATIENCE: Duration = Duration::from_secs(60);

const UPGRADE: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

fn connect(url: &str) -> TcpStream {
    let address = url.split_once("://").expect("a URL").1;
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    stream
}

/// Waits until the server closes the connection, and says what it sent before.
fn until_closed(mut stream: TcpStream) -> Vec<u8> {
    let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return all,
            Ok(count) => all.extend(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return all,
            Err(error) => panic!("it is still open: {error}"),
        }
    }
}

fn assert_serves(url: &str) {
    let device = RemoteDevice::with_token(url, "open sesame");
    let x = Tensor::<Remote, 1>::ones([2], &device) + 1.0;
    assert_eq!(x.into_data(), TensorData::from([2.0_f32, 2.0]));
    device.close();
}

#[test]
fn three_hundred_idle_guests_keep_nobody_out() {
    let certificate = include_bytes!("certificate/certificate.pem");
    let options = || options().with_sessions(8).with_token("open sesame").with_handshake_timeout(LONG);
    let server = start(options());
    let idle: Vec<TcpStream> = (0..300).map(|_| connect(&server.url())).collect();
    // Others have spoken HTTP, and are silent then.
    let silent: Vec<Raw> = (0..300).map(|_| Raw::connect(&server.url())).collect();
    assert_serves(&server.url());
    drop((idle, silent));
    assert_empty(&server);
    // Some that do not even begin with TLS.
    let server = start(options().with_tls(&certificate[..], include_bytes!("certificate/key.pem").to_vec()));
    let _idle: Vec<TcpStream> = (0..300).map(|_| connect(&server.url())).collect();
    let trusting = burn_remote::RemoteOptions::new(&server.url()).with_token("open sesame");
    RemoteDevice::with_options(trusting.with_certificate(&certificate[..])).try_sync().expect("it gets in");
}

#[test]
fn the_oldest_guest_makes_room_for_the_youngest() {
    // Two for each session, and 64.
    let server = start(options().with_sessions(1).with_handshake_timeout(LONG));
    let oldest = connect(&server.url());
    // It has been accepted before the others: no other connection was there.
    let _others: Vec<TcpStream> = (0..66).map(|_| connect(&server.url())).collect();
    assert_eq!(until_closed(oldest), b"");
}

#[test]
fn a_guest_that_says_a_byte_now_and_then_is_cut_at_the_deadline() {
    const DEADLINE: Duration = Duration::from_millis(600);
    let server = start(options().with_handshake_timeout(DEADLINE));
    // A deadline for each part would begin again with the next one.
    let drips: [&[u8]; 2] = [UPGRADE.as_bytes(), &[0x82, 0xfe, 0x0f, 0xa0, 1, 2, 3, 4, 5, 6, 7, 8]];
    thread::scope(|scope| {
        for (upgraded, drip) in [false, true].into_iter().zip(drips) {
            let url = server.url();
            scope.spawn(move || {
                let start = Instant::now();
                let mut stream = connect(&url);
                if upgraded {
                    stream.write_all(UPGRADE.as_bytes()).expect("it listens");
                }
                let mut copy = stream.try_clone().expect("a socket can be shared");
                let writer = thread::spawn(move || {
                    // A byte every 100 ms; the end of the connection ends it.
                    drip.iter().all(|byte| {
                        thread::sleep(Duration::from_millis(100));
                        copy.write_all(&[*byte]).is_ok()
                    })
                });
                let answer = until_closed(stream);
                let elapsed = start.elapsed();
                assert!(elapsed >= DEADLINE && elapsed < PATIENCE, "{elapsed:?}");
                assert_eq!(answer.starts_with(b"HTTP/1.1 101"), upgraded);
                writer.join().expect("no panic");
            });
        }
    });
}

#[test]
fn a_connection_that_asks_for_something_else_is_not_kept() {
    let server = start(options().with_handshake_timeout(LONG));
    let mut stream = connect(&server.url());
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n").expect("it listens");
    until_closed(stream);
    let mut stream = connect(&server.url());
    stream.write_all(UPGRADE.replace("GET /", "GET /else").as_bytes()).expect("it listens");
    assert!(until_closed(stream).starts_with(b"HTTP/1.1 404"));
}

/// Sends bytes without end before a token, or in place of one; returns how many the server took.
fn flood(url: &str, begin: &[u8]) -> usize {
    let mut stream = connect(url);
    stream.set_write_timeout(Some(PATIENCE)).expect("a time");
    let mut sent = 0;
    if stream.write_all(begin).is_ok() {
        let piece = [b'x'; 64 << 10];
        while sent < 64 << 20 {
            match stream.write(&piece) {
                Ok(count) => sent += count,
                Err(error) => {
                    let closed =
                        [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe, ErrorKind::ConnectionAborted];
                    assert!(closed.contains(&error.kind()), "it is still open: {error}");
                    break;
                }
            }
        }
    }
    sent
}

#[test]
fn a_guest_that_floods_is_cut_and_costs_no_memory() {
    let server = start_process("guests::a_guest_that_floods_is_cut_and_costs_no_memory");
    assert_serves(server.url());
    let before = server.memory();
    let headers = format!("{}X-Many: ", &UPGRADE[..UPGRADE.len() - 2]);
    // The header of a frame with 4 MiB.
    let frame = [UPGRADE.as_bytes(), &[0x82, 0xff, 0, 0, 0, 0, 0, 0x40, 0, 0, 1, 2, 3, 4]].concat();
    // A frame that may be, which is never whole, and pings.
    let part = [UPGRADE.as_bytes(), &[0x82, 0xfe, 0x0f, 0xff, 1, 2, 3, 4]].concat();
    let pings = [UPGRADE.as_bytes(), &[0x89, 0x80, 1, 2, 3, 4].repeat(5000)].concat();
    let begins: [&[u8]; 5] = [b"", headers.as_bytes(), &frame, &part, &pings];
    thread::scope(|scope| {
        for thread in 0..30 {
            let url = server.url();
            scope.spawn(move || {
                for at in 0..10 {
                    let sent = flood(url, begins[(thread + at) % begins.len()]);
                    assert!(sent < 32 << 20, "{sent} bytes");
                }
            });
        }
    });
    if let (Some(before), Some(peak)) = (before, server.peak_memory()) {
        assert!(peak < before + (32 << 20), "{before} bytes, then {peak}");
    }
    assert_serves(server.url());
}

#[test]
fn a_token_is_at_most_as_long_as_what_is_read() {
    let server = start(options().with_token("x".repeat(4000)).with_handshake_timeout(LONG));
    let hello = |len: usize| Hello { token: Some("x".repeat(len)), resume: None }.to_bytes();
    assert_eq!(Raw::connect(&server.url()).greet(&hello(3999)).unwrap_err(), Refusal::Token);
    Raw::connect(&server.url()).greet(&hello(4000)).expect("a session");
}

#[test]
fn a_blank_token_is_refused_and_spaces_around_one_are_left_out() {
    let start = |options| Server::start::<NdArray>(Default::default(), options);
    for blank in ["", " ", "   ", "\n", " \t\r\n", "\u{a0}\u{2003}"] {
        for address in ["127.0.0.1:0", "0.0.0.0:0"] {
            let options = || ServerOptions::new(address).with_token(blank);
            for options in [options(), options().allow_without_token()] {
                let error = start(options).unwrap_err();
                let is_blank =
                    matches!(&error, ServerError::BlankToken { address: found } if found == address);
                assert!(is_blank, "{blank:?}: {error:?}");
            }
        }
    }
    // The content of a file that ends with a line break, at either end.
    let server =
        start(ServerOptions::new("127.0.0.1:0").with_token("open sesame\n")).expect("it has a token");
    assert_serves(&server.url());
    let padded = burn_remote::RemoteOptions::new(&server.url()).with_token(" open sesame\r\n");
    RemoteDevice::with_options(padded).try_sync().expect("it gets in");
    for wrong in [None, Some("   ".to_string()), Some("open".to_string())] {
        let hello = Hello { token: wrong, resume: None }.to_bytes();
        assert_eq!(Raw::connect(&server.url()).greet(&hello).unwrap_err(), Refusal::Token);
    }
}

#[test]
fn without_a_token_a_server_is_for_its_own_machine() {
    let start = |options| Server::start::<NdArray>(Default::default(), options);
    for address in ["0.0.0.0:0", "[::]:0"] {
        let error = start(ServerOptions::new(address)).unwrap_err();
        assert!(matches!(&error, ServerError::NoToken { address: found } if found == address), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains(address) && text.contains("with_token") && text.contains("allow_without_token")
        );
    }
    start(ServerOptions::new("0.0.0.0:0").with_token("open sesame")).expect("it has a token");
    start(ServerOptions::new("0.0.0.0:0").allow_without_token()).expect("it was asked for");
    start(ServerOptions::new("localhost:0")).expect("nobody else reaches it");
}
