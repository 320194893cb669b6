//! How fast a server is over the loopback: small operations one after the other, and large tensors there and
//! back.
//!
//! ```text
//! cargo run --release -p benches --example remote-speed
//! ```

use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions};
use burn_remote::{Remote, RemoteDevice};
use burn_tensor::{Tensor, TensorData};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Operations of one measurement.
const OPERATIONS: usize = 100_000;

/// Bytes of one large tensor.
const LARGE: usize = 256 << 20;

/// Measurements, of which the median is printed.
const ROUNDS: usize = 5;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve();
    }
    let program = std::env::current_exe().expect("a program has a name");
    let mut server = Command::new(program)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program can be started twice");
    let mut url = String::new();
    BufReader::new(server.stdout.take().expect("piped"))
        .read_line(&mut url)
        .expect("the server tells where it is");
    measure(&RemoteDevice::new(url.trim()));
    drop(server.stdin.take());
    server.wait().expect("the server ends");
}

/// The server, in a process of its own, until its input ends.
fn serve() {
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
    println!("{}", server.as_ref().expect("there is a free port").url());
    let _end = std::io::stdin().read_to_end(&mut Vec::new());
}

fn measure(device: &RemoteDevice) {
    let taken = median(|| operations(device));
    println!("small operations: {:>9.0} a second", OPERATIONS as f64 / taken.as_secs_f64());
    let taken = median(|| round_trips(device));
    println!("read of one value: {:>8.1} us", taken.as_secs_f64() * 1e6 / 100.0);
    let data = TensorData::new(vec![1.0_f32; LARGE / 4], [LARGE / 4]);
    let gigabytes = LARGE as f64 / 1e9;
    let mut tensor = None;
    let taken = median(|| {
        tensor = None;
        let data = data.clone();
        time(|| {
            tensor = Some(Tensor::<Remote, 1>::from_data(data, device));
            device.try_sync().expect("the server computes");
        })
    });
    println!("upload:           {:>9.2} GB/s", gigabytes / taken.as_secs_f64());
    let tensor = tensor.expect("it was uploaded");
    let taken = median(|| {
        let tensor = tensor.clone();
        time(|| assert_eq!(tensor.into_data().num_elements(), LARGE / 4))
    });
    println!("download:         {:>9.2} GB/s", gigabytes / taken.as_secs_f64());
}

/// `x + 1`, over and over, on 16 elements; nothing is read before the end.
fn operations(device: &RemoteDevice) -> Duration {
    let x = Tensor::<Remote, 1>::zeros([16], device);
    device.try_sync().expect("the server computes");
    time(|| {
        let sum = (0..OPERATIONS).fold(x, |x, _| x + 1.0);
        assert_eq!(sum.into_data(), TensorData::new([OPERATIONS as f32; 16], [16]));
    })
}

/// Each value is read before the next is asked for.
fn round_trips(device: &RemoteDevice) -> Duration {
    let x = Tensor::<Remote, 1>::ones([1], device);
    time(|| (0..100).for_each(|_| drop((x.clone() + 1.0).into_data())))
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| run()).collect();
    times.sort();
    times[ROUNDS / 2]
}
