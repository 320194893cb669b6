use super::{equal, situation};
use crate::case::read;
use crate::input::ordinary;
use crate::subject::Report;
use crate::{Family, Subject};
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{BinaryOp, DType, Dims, ReduceOp, Scalar, TensorData, TypedCalls, UnaryOp};

/// Results that are not read, and operands that die early, change nothing.
pub fn check(subject: &Subject, report: &mut Report<'_>) {
    type Check = fn(&DynamicDevice) -> Result<(), String>;
    let checks: [(&str, Check); 5] = [
        ("results that nobody reads", unread),
        ("an operand that dies early", dies_early),
        ("two readers of one result", two_readers),
        ("more calls than wait in a queue", many_calls),
        ("a view outlives its tensor", view_outlives),
    ];
    for (name, check) in checks {
        report.check(&situation(Family::Dropped, "chain", DType::F32, name), || check(&subject.device));
    }
}

fn operand(device: &DynamicDevice) -> (DynamicTensor, Vec<f64>) {
    let input = ordinary([4, 10], DType::F32);
    (input.upload(device), input.data.to_f64())
}

fn near(found: &TensorData, expected: impl Iterator<Item = f64>) -> Result<(), String> {
    let found = found.to_f64();
    let far = found.iter().zip(expected).position(|(x, y)| (x - y).abs() > 1e-5);
    far.map_or(Ok(()), |at| Err(format!("element {at} of {found:?}")))
}

fn unread(device: &DynamicDevice) -> Result<(), String> {
    let (x, xs) = operand(device);
    let unread = Dynamic::unary(UnaryOp::Exp, x.clone());
    drop(Dynamic::matmul(unread.clone(), Dynamic::permute(unread, [1, 0].into())));
    near(&read(Dynamic::unary(UnaryOp::Sin, x.clone())), xs.iter().map(|x| x.sin()))?;
    near(&read(x), xs.into_iter())
}

fn dies_early(device: &DynamicDevice) -> Result<(), String> {
    let (x, xs) = operand(device);
    let y = Dynamic::unary(UnaryOp::Sin, x);
    let z = Dynamic::binary_scalar(BinaryOp::Mul, y.clone(), Scalar::Int(2));
    drop(y);
    let z = Dynamic::unary(UnaryOp::Cos, z);
    near(&read(z), xs.iter().map(|x| (x.sin() * 2.0).cos()))
}

fn two_readers(device: &DynamicDevice) -> Result<(), String> {
    let (x, xs) = operand(device);
    let y = Dynamic::unary(UnaryOp::Sin, x);
    let copy = y.clone();
    let z = Dynamic::binary_scalar(BinaryOp::Add, y, Scalar::Int(1));
    near(&read(z), xs.iter().map(|x| x.sin() + 1.0))?;
    near(&read(copy.clone()), xs.iter().map(|x| x.sin()))?;
    near(&read(copy), xs.iter().map(|x| x.sin()))
}

fn many_calls(device: &DynamicDevice) -> Result<(), String> {
    let (mut x, xs) = operand(device);
    let mut kept = Vec::new();
    for step in 0..300 {
        x = Dynamic::binary_scalar(BinaryOp::Add, x, Scalar::Int(1));
        if step % 50 == 0 {
            kept.push((step, x.clone()));
        }
    }
    let loose = |found: &TensorData, steps: f64| {
        let far = found.to_f64().iter().zip(&xs).any(|(found, x)| (found - x - steps).abs() > 1e-2);
        equal("far off", far, false)
    };
    loose(&read(x), 300.0)?;
    kept.into_iter().try_for_each(|(step, x)| loose(&read(x), f64::from(step) + 1.0))
}

fn view_outlives(device: &DynamicDevice) -> Result<(), String> {
    let (x, xs) = operand(device);
    let view = Dynamic::permute(x.clone(), [1, 0].into());
    let changed = Dynamic::binary_scalar(BinaryOp::Mul, x, Scalar::Int(3));
    let sum = Dynamic::reduce(ReduceOp::Sum, view, Dims::from([0]));
    near(&read(sum), xs.chunks(10).map(|row| row.iter().sum()))?;
    near(&read(changed), xs.iter().map(|x| x * 3.0))
}
