//! Programs on a server, through real connections.

use crate::{assert_empty, options, start};
use burn_autodiff::Autodiff;
use burn_remote::server::Server;
use burn_remote::{Remote, RemoteDevice, RemoteOptions};
use burn_tensor::backend::Backend;
use burn_tensor::{Distribution, Tensor, TensorData};
use std::time::Duration;

fn server() -> (Server, RemoteDevice) {
    let server = start(options());
    let device = RemoteDevice::new(&server.url());
    (server, device)
}

#[test]
fn a_gradient_is_computed_elsewhere() {
    type B = Autodiff<Remote>;
    let (_server, device) = server();
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let gradients = x.clone().powf_scalar(3.0).sum().backward();
    let gradient = x.grad(&gradients).expect("tracked").into_data();
    assert_eq!(gradient, TensorData::from([3.0_f32, 12.0, 27.0]));
}

#[test]
fn tensors_in_many_pieces_arrive_whole() {
    let (_server, device) = server();
    // 20 MiB: more than one window.
    let values: Vec<i64> = (0..20 << 17).collect();
    let data = TensorData::new(&values, [values.len()]);
    let x = Tensor::<Remote, 1, burn_tensor::Int>::from_data(data.clone(), &device);
    let doubled = (x.clone() * 2).into_data();
    assert!(doubled.iter::<i64>().zip(&values).all(|(found, x)| found == 2 * x));
    assert!(x.into_data() == data);
}

/// More than the window of unacknowledged bytes goes each way at once: acknowledgements have to pass between.
#[test]
fn a_large_read_and_uploads_pass_each_other() {
    let (_server, device) = server();
    let large = Tensor::<Remote, 2>::full([4096, 4096], 3.0, &device);
    let pieces = |index: usize| TensorData::new(vec![index as f32; 1 << 18], [1 << 18]);
    std::thread::scope(|scope| {
        let read = scope.spawn(|| large.clone().into_data());
        let uploads: Vec<_> = (0..64).map(|i| Tensor::<Remote, 1>::from_data(pieces(i), &device)).collect();
        let read = read.join().expect("it is read").to_vec::<f32>().expect("f32");
        assert!(read.len() == 4096 * 4096 && read.iter().all(|&value| value == 3.0));
        for (index, upload) in uploads.into_iter().enumerate() {
            assert_eq!(upload.into_data(), pieces(index));
        }
    });
}

#[test]
fn memory_is_that_of_the_tensors_which_the_program_has() {
    let (server, device) = server();
    let x = Tensor::<Remote, 1>::zeros([1 << 20], &device);
    let y = x.clone() + 1.0;
    device.try_sync().expect("the server computes");
    assert!((2 << 22..3 << 22).contains(&server.stats().bytes), "{server:?}");
    drop((x, y));
    device.try_sync().expect("the server computes");
    assert_eq!(server.stats().bytes, 0);
}

#[test]
fn tensors_move_between_servers() {
    let ((_one, first), (_other, second)) = (server(), server());
    let x = Tensor::<Remote, 1>::from_data([1.0, 2.0], &first);
    let y = Tensor::<Remote, 1>::from_data([10.0, 20.0], &second);
    let sum = x.clone().to_device(&second) + y.clone();
    assert_eq!(sum.device(), second);
    assert_eq!(sum.into_data(), TensorData::from([11.0_f32, 22.0]));
    let error = x.clone().try_add(y.clone()).expect_err("they are in two places").to_string();
    assert!(error.contains(first.address()) && error.contains(second.address()), "{error}");
    let mixed = std::panic::catch_unwind(|| drop(x + y)).expect_err("they are in two places");
    let text = mixed.downcast_ref::<String>().expect("it says so");
    assert!(text.contains(first.address()) && text.contains(second.address()), "{text}");
}

#[test]
fn a_tensor_of_a_gibibyte_passes() {
    let (server, device) = server();
    let data = TensorData::new(vec![7_i64; 1 << 27], [1 << 27]);
    let x = Tensor::<Remote, 1, burn_tensor::Int>::from_data(data.clone(), &device);
    assert!(x.into_data() == data);
    device.close();
    assert_empty(&server);
}

#[test]
fn sessions_of_one_server_draw_from_streams_of_their_own() {
    let server = start(options());
    // Devices with other options have other sessions.
    let [one, other] = [20, 21].map(|seconds| {
        let options = RemoteOptions::new(&server.url()).with_idle_timeout(Duration::from_secs(seconds));
        RemoteDevice::with_options(options)
    });
    let draw = |device| Tensor::<Remote, 1>::random([9], Distribution::Default, device).into_data();
    [one, other].iter().for_each(|device| device.try_sync().expect("the server computes"));
    assert_eq!(server.stats().sessions, 2);
    Remote::seed(7);
    let alone: Vec<TensorData> = (0..4).map(|_| draw(&one)).collect();
    let between: Vec<TensorData> = (0..4).flat_map(|_| [draw(&other), draw(&one)]).step_by(2).collect();
    assert_eq!(alone, between, "both were seeded, and neither moves the other on");
    assert_ne!(alone[0], alone[1]);
}

#[test]
fn memory_that_no_machine_has_costs_a_tensor_and_not_the_server() {
    // The limits leave everything.
    let server = start(options().with_total_bytes(u64::MAX));
    let device = RemoteDevice::new(&server.url());
    for size in [1_usize << 52, 1 << 58] {
        let x = Tensor::<Remote, 1>::zeros([size], &device);
        let error = x.try_into_data().expect_err("there is no such memory").to_string();
        assert!(error.contains("memory"), "{error}");
    }
    let x = Tensor::<Remote, 1>::ones([2], &device).expand([1_usize << 40, 2]) + 1.0;
    let error = x.narrow(0, 0, 1).try_into_data().expect_err("there is no such memory").to_string();
    assert!(error.contains("memory"), "{error}");
    assert_eq!(Tensor::<Remote, 1>::ones([2], &device).into_data(), TensorData::from([1.0_f32, 1.0]));
}
