//! Faults between a client and its server: lost connections, restarts, refused sessions.

use crate::proxy::Proxy;
use crate::{assert_empty, options, start, start_process};
use burn_ndarray::NdArray;
use burn_remote::server::{ServerError, ServerOptions, start_with, start_with_async};
use burn_remote::wire::Refusal;
use burn_remote::{Remote, RemoteDevice, RemoteError, RemoteOptions};
use burn_tensor::{Int, Tensor, TensorData};
use std::thread;
use std::time::Duration;

#[test]
fn a_session_survives_cut_connections() {
    let server = start(options());
    let proxy = Proxy::new(&server.url());
    let device = RemoteDevice::new(&proxy.url);
    let mut sum = Tensor::<Remote, 1, Int>::zeros([4], &device);
    thread::scope(|scope| {
        let sum = &mut sum;
        let cutter = scope.spawn(|| {
            // Wherever the program is then.
            for cuts in 1..=8 {
                let before = proxy.passed();
                while proxy.connections() < cuts || proxy.passed() < before + 2_000 {
                    thread::sleep(Duration::from_millis(1));
                }
                proxy.cut();
            }
        });
        let mut steps = 0_i64;
        while !cutter.is_finished() || steps < 2_000 {
            *sum = sum.clone() + Tensor::from_data(TensorData::from([1_i64, steps, -steps, 2]), &device);
            steps += 1;
            if steps % 100 == 0 {
                let found = sum.clone().into_data();
                let all = steps * (steps - 1) / 2;
                assert_eq!(found, TensorData::from([steps, all, -all, 2 * steps]));
            }
        }
    });
    assert!(proxy.connections() > 8, "{} connections", proxy.connections());
    device.try_sync().expect("the session goes on");
    assert_eq!(server.stats().sessions, 1);
    drop(sum);
    device.close();
    assert_empty(&server);
}

#[test]
fn large_tensors_survive_cut_connections() {
    let server = start(options());
    let proxy = Proxy::new(&server.url());
    let device = RemoteDevice::new(&proxy.url);
    let values: Vec<i64> = (0..3 << 20).collect();
    let data = TensorData::new(&values, [values.len()]);
    thread::scope(|scope| {
        let proxy = &proxy;
        let cutter = scope.spawn(move || {
            for megabytes in [5, 15, 30, 40] {
                while proxy.passed() < megabytes << 20 {
                    thread::sleep(Duration::from_millis(1));
                }
                proxy.cut();
            }
        });
        let x = Tensor::<Remote, 1, Int>::from_data(data.clone(), &device);
        assert!(x.into_data() == data, "what comes back is what was sent");
        cutter.join().expect("all was cut");
    });
    assert!(proxy.connections() > 4);
}

#[test]
fn a_killed_server_is_an_error_that_says_so() {
    let mut server = start_process("faults::a_killed_server_is_an_error_that_says_so");
    let options = RemoteOptions::new(server.url()).with_resume_timeout(Duration::from_millis(200));
    let device = RemoteDevice::with_options(options);
    let x = Tensor::<Remote, 1>::ones([3], &device);
    assert_eq!(x.clone().into_data(), TensorData::from([1.0_f32; 3]));
    server.kill();
    let error = (x.clone() + 1.0).try_into_data().expect_err("nobody computes it");
    assert!(error.to_string().contains(server.url()), "{error}");
    assert!(matches!(device.failure(), Some(RemoteError::Lost { .. })), "{:?}", device.failure());
    // Later calls of the program fail at once instead of waiting for a connection.
    let y = (0..1000).fold(x, |y, _| y + 1.0);
    assert!(y.try_into_data().is_err());
}

#[test]
fn a_restarted_server_does_not_know_the_session() {
    let first = start(options());
    // Another process may take the port of a server that is gone.
    let proxy = Proxy::new(&first.url());
    let device = RemoteDevice::new(&proxy.url);
    let x = Tensor::<Remote, 1>::ones([3], &device);
    device.try_sync().expect("it computes");
    drop(first);
    let second = start(options());
    proxy.lead_to(&second.url());
    assert!(x.clone().try_into_data().is_err());
    let Some(RemoteError::Refused { reason, .. }) = device.failure() else {
        panic!("{:?}", device.failure())
    };
    assert_eq!(reason, Refusal::UnknownSession);
    // Another session does not have the tensors of the first.
    device.close();
    let y = Tensor::<Remote, 1>::ones([3], &device);
    assert!((x + y.clone()).try_into_data().is_err());
    assert_eq!(y.into_data(), TensorData::from([1.0_f32; 3]));
}

#[test]
fn nobody_at_the_address_is_an_error_that_names_it() {
    let options = RemoteOptions::new("ws://127.0.0.1:1").with_connect_timeout(Duration::from_millis(50));
    let error = RemoteDevice::with_options(options).try_sync().unwrap_err();
    assert!(matches!(&error, RemoteError::Connect { .. }) && error.to_string().contains("ws://127.0.0.1:1"));
    for address in ["localhost:3000", "http://localhost:3000", "ws://", "what?"] {
        let error = RemoteDevice::new(address).try_sync().unwrap_err();
        assert!(matches!(error, RemoteError::Address { .. }), "{error:?}");
    }
}

#[test]
fn a_server_with_a_token_asks_for_it() {
    let server = start(options().with_token("open sesame"));
    for device in [RemoteDevice::new(&server.url()), RemoteDevice::with_token(&server.url(), "open barley")] {
        let Err(RemoteError::Refused { reason, .. }) = device.try_sync() else { panic!("it opened") };
        assert_eq!(reason, Refusal::Token);
    }
    RemoteDevice::with_token(&server.url(), "open sesame").try_sync().expect("the token is right");
    assert_eq!(server.stats().sessions, 1);
}

#[test]
fn tls_is_spoken_with_whom_the_certificate_names() {
    let certificate = include_bytes!("certificate/certificate.pem");
    let server = start(options().with_tls(&certificate[..], include_bytes!("certificate/key.pem").to_vec()));
    let url = server.url();
    assert!(url.starts_with("wss://127.0.0.1"));
    let trusting = RemoteDevice::with_options(RemoteOptions::new(&url).with_certificate(&certificate[..]));
    let x = Tensor::<Remote, 1>::from_data([1.0, 2.0], &trusting) * 2.0;
    assert_eq!(x.into_data(), TensorData::from([2.0_f32, 4.0]));
    let error = RemoteDevice::new(&url).try_sync().unwrap_err();
    assert!(matches!(error, RemoteError::Tls { .. }), "{error:?}");
}

#[test]
fn two_hundred_programs_at_once_get_what_they_ask_for() {
    let server = start(options().with_sessions(200));
    let url = server.url();
    let devices: Vec<RemoteDevice> = (0..200)
        .map(|program| {
            // Options that differ are sessions that differ.
            let patience = Duration::from_secs(600) + Duration::from_millis(program);
            RemoteDevice::with_options(RemoteOptions::new(&url).with_connect_timeout(patience))
        })
        .collect();
    thread::scope(|scope| {
        for (program, device) in devices.iter().enumerate() {
            scope.spawn(move || {
                let start = Tensor::<Remote, 1, Int>::full([64], program as i64, device);
                let sum = (0..50).fold(start, |sum, step| sum + step);
                let expected = TensorData::new([program as i64 + 49 * 25; 64], [64]);
                assert_eq!(sum.into_data(), expected);
            });
        }
    });
    assert_eq!(server.stats().sessions, 200);
    let error = RemoteDevice::with_token(&url, "one too many").try_sync().unwrap_err();
    let RemoteError::Refused { reason, .. } = error else { panic!("{error:?}") };
    assert_eq!(reason, Refusal::Full { sessions: 200 });
    devices.iter().for_each(|device| device.close());
    assert_empty(&server);
}

#[test]
fn a_server_that_goes_says_so() {
    let server = start(options().with_shutdown_timeout(Duration::ZERO));
    let device = RemoteDevice::new(&server.url());
    let x = Tensor::<Remote, 1>::ones([3], &device);
    device.try_sync().expect("it computes");
    server.shutdown();
    let error = x.try_into_data().expect_err("it is gone");
    assert!(error.to_string().contains("shutting down"), "{error}");
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let taken = start(options());
    let same = ServerOptions::new(taken.address().to_string());
    let error = burn_backend::block_on(start_with_async::<NdArray>(Default::default(), same.clone()));
    assert!(matches!(error, Ok(Err(ServerError::Bind { .. }))), "{error:?}");
    let error = start_with::<NdArray>(Default::default(), same).unwrap_err();
    assert!(error.to_string().contains(&taken.address().to_string()), "{error}");
    let error = start_with::<NdArray>(Default::default(), options().with_tls("no certificate", "no key"));
    assert!(matches!(error, Err(ServerError::Tls(_))), "{error:?}");
}
