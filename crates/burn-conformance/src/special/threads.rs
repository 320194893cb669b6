use super::situation;
use crate::case::{read, same_bits};
use crate::input::ordinary;
use crate::subject::Report;
use crate::{Family, Subject, operations};
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{BinaryOp, DType, Scalar, TensorData, TypedCalls, UnaryOp};

const THREADS: usize = 4;
const ROUNDS: usize = 15;

/// Calls of each variant that threads run together.
const CALLS: usize = 2;

pub fn check(subject: &Subject, report: &mut Report<'_>) {
    let device = &subject.device;
    for &family in &Family::ALL[..Family::OPERATIONS] {
        together(subject, family, report);
    }
    report.check(&situation(Family::Threads, "chain", DType::F32, "shared operands"), || shared(device));
    report.check(&situation(Family::Threads, "chain", DType::F32, "results move on"), || moved(device));
}

/// A few calls of each variant of a family, each by several threads at once on operands that they share.
fn together(subject: &Subject, family: Family, report: &mut Report<'_>) {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    operations::each(family, &mut |case| {
        let operation = case.situation.operation;
        let known = seen.iter().position(|(name, _)| *name == operation);
        let at = known.unwrap_or_else(|| {
            seen.push((operation, 0));
            seen.len() - 1
        });
        // Half a page of elements: enough to be torn, few enough to be fast in a definition.
        let mut elements = 0;
        case.op.visit(|input| elements = elements.max(input.data.num_elements()));
        let is_gap = subject.gaps.iter().any(|gap| gap.covers(&case.situation));
        if seen[at].1 == CALLS || !(30..2_000).contains(&elements) || is_gap || !case.is_for(subject) {
            return;
        }
        seen[at].1 += 1;
        let name = format!("{operation} of {}, {}", case.situation.dtype, case.situation.name);
        let at = situation(Family::Threads, operation, case.situation.dtype, name);
        report.check(&at, || case.run_in_threads(&subject.device, THREADS));
    });
}

fn plus_one(x: burn_backend::dynamic::DynamicTensor) -> TensorData {
    read(Dynamic::binary_scalar(BinaryOp::Add, x, Scalar::Int(1)))
}

fn agree(found: &TensorData, expected: &TensorData) -> Result<(), String> {
    if same_bits(found, expected) { Ok(()) } else { Err("a thread sees other values".into()) }
}

/// Threads that share unfinished tensors agree with what one thread computes.
fn shared(device: &DynamicDevice) -> Result<(), String> {
    let x = ordinary([2_000], DType::F32).upload(device);
    let start = || Dynamic::unary(UnaryOp::Sin, x.clone());
    let expected = plus_one(start());
    for _ in 0..ROUNDS {
        let unfinished = start();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..THREADS {
                let mine = unfinished.clone();
                threads.push(scope.spawn(|| plus_one(mine)));
            }
            let mine = unfinished.clone();
            drop(unfinished);
            agree(&plus_one(mine), &expected)?;
            threads
                .into_iter()
                .try_for_each(|thread| agree(&thread.join().map_err(|_| "panicked")?, &expected))
        })?;
    }
    Ok(())
}

/// A tensor that one thread made and another one uses up, with operands of both.
fn moved(device: &DynamicDevice) -> Result<(), String> {
    let make = || Dynamic::unary(UnaryOp::Cos, ordinary([2_000], DType::F32).upload(device));
    let expected = read(Dynamic::binary(BinaryOp::Mul, make(), make()));
    for _ in 0..ROUNDS {
        let here = make();
        let product = std::thread::scope(|scope| {
            let there = scope.spawn(make).join().map_err(|_| "panicked")?;
            scope.spawn(move || Dynamic::binary(BinaryOp::Mul, here, there)).join().map_err(|_| "panicked")
        })?;
        agree(&read(product), &expected)?;
    }
    Ok(())
}
