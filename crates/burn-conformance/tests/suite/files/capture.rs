use super::target::Target;
use burn_backend::{BinaryOp, TensorData, TypedCalls, UnaryOp};
use burn_capture::{Capture, Program, Recording};
use burn_ndarray::NdArray;
use std::path::Path;

type C = Capture<NdArray>;

const FILE: &str = "program";

fn program() -> Program {
    let device = Default::default();
    let weight = C::from_data(TensorData::from([2.0_f32, 3.0]), &device);
    let recording = Recording::<NdArray>::start();
    let x = C::from_data(TensorData::from([1.0_f32, -1.0]), &device);
    recording.input("x", &x);
    recording.name("weight", &weight);
    let y = C::unary(UnaryOp::Abs, C::binary(BinaryOp::Mul, x, weight));
    recording.finish([("y", &y)]).expect("the program is short")
}

fn load(folder: &Path) -> Result<(), String> {
    let program = Program::load(folder.join(FILE)).map_err(|error| error.to_string())?;
    // A loaded program can be printed and written.
    assert!(!program.to_string().is_empty() || program.inputs().is_empty());
    program.to_bytes().map(drop).map_err(|error| error.to_string())
}

/// Puts length and checksum (FNV-1a) right.
#[expect(clippy::ptr_arg, reason = "those of other targets add bytes")]
fn seal(content: &mut Vec<u8>) {
    const BEHIND_VERSION: usize = 8 + 4;
    const HEADER: usize = BEHIND_VERSION + 8 + 8;
    let Some(body) = content.get(HEADER..) else { return };
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let (length, sum) = (body.len() as u64, body.iter().fold(0xcbf2_9ce4_8422_2325, step));
    content[BEHIND_VERSION..HEADER].copy_from_slice(&[length.to_le_bytes(), sum.to_le_bytes()].concat());
}

pub fn targets(folder: &Path) -> Vec<Target> {
    program().save(folder.join(FILE)).expect("the folder can be written");
    vec![Target::of_file(folder, "program", FILE, Some(seal), load)]
}
