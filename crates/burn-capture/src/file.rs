//! Programs as bytes: a magic word, a version, the length and the checksum of what follows, and that in named
//! MessagePack. Operations are written with their names, so a program can be read after others were added.

use crate::document::Document;
use crate::values;
use crate::{Program, ProgramError, Step};
use burn_backend::Creation;
use rmp_serde::Deserializer;
use rmp_serde::decode::Error;
use serde::Deserialize;
use std::io;
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"BURNPROG";

/// Counts up when older versions of Burn should not read what is written.
const VERSION: u32 = 2;

/// Values inside of values; programs have about ten.
const DEPTH: usize = 64;

/// Values of a program: a call has about fifteen, names and shapes included.
const MOST_VALUES: usize = 8 << 20;

/// Magic, version, length, checksum.
const HEADER: usize = 8 + 4 + 8 + 8;

impl Program {
    /// Writes the program to a file atomically: readers of `path` see the old file or the new one.
    ///
    /// # Errors
    /// When the file cannot be written (no part of it remains) or a constant is too large.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ProgramError> {
        let (path, bytes) = (path.as_ref(), self.to_bytes()?);
        burn_io::write_atomic(path, &mut |out| out.write_all(&bytes)).map_err(|cause| file(path, cause))
    }

    /// Reads a program that [`Program::save`] wrote.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no valid program of a known version.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProgramError> {
        let path = path.as_ref();
        Program::from_bytes(&burn_io::read_file(path).map_err(|cause| file(path, cause))?)
    }

    /// Encodes the program as [`Program::save`] writes it.
    ///
    /// # Errors
    /// When a constant has 4 GiB or more, which the format cannot hold: see
    /// [`Program::with_constants_as_inputs`]. Also when the program has more than eight million values, which
    /// are not read back.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ProgramError> {
        let too_large = |step: &Step| matches!(step, Step::Create(Creation::Data(data)) if u32::try_from(data.as_bytes().len()).is_err());
        if let Some(step) = self.steps().iter().position(too_large) {
            return Err(ProgramError::TooLarge { step });
        }
        let body = rmp_serde::to_vec_named(self).expect("a program has no part that cannot be written");
        check_values(&body)?;
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        Ok(bytes)
    }

    /// Decodes and checks a program from untrusted bytes.
    ///
    /// # Errors
    /// When they are no valid program of a known version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProgramError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(ProgramError::NoProgram);
        };
        let expected = HEADER as u64;
        let short = || ProgramError::Length { expected, found: bytes.len() as u64 };
        let (version, rest) = rest.split_first_chunk().ok_or_else(short)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(ProgramError::Version { found, known: VERSION });
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
        let (sum, body) = rest.split_first_chunk().ok_or_else(short)?;
        let length = u64::from_le_bytes(*length);
        if length != body.len() as u64 {
            return Err(ProgramError::Length { expected: length, found: body.len() as u64 });
        }
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(ProgramError::Checksum);
        }
        parse(body)
    }
}

/// Parses the steps. Nothing is allocated beyond the bytes present, and each byte's memory use is bounded by
/// the number of values.
fn parse(body: &[u8]) -> Result<Program, ProgramError> {
    check_values(body)?;
    let mut source = Deserializer::from_read_ref(body);
    source.set_max_depth(DEPTH);
    let document = Document::deserialize(&mut source);
    let document = document.map_err(|cause| ProgramError::Malformed(cause.to_string()))?;
    // At the end, there is not even the first byte of another value.
    match <()>::deserialize(&mut source) {
        Err(Error::InvalidMarkerRead(_)) => Program::new(document),
        Ok(()) | Err(_) => Err(ProgramError::Malformed("bytes follow the program".into())),
    }
}

fn check_values(body: &[u8]) -> Result<(), ProgramError> {
    match values::are_at_most(MOST_VALUES, body) {
        true => Ok(()),
        false => Err(ProgramError::Malformed(format!("it has more than {MOST_VALUES} values"))),
    }
}

/// Computes FNV-1a, which detects accidental damage only.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn file(path: &Path, cause: io::Error) -> ProgramError {
    ProgramError::File { path: path.to_owned(), cause: Arc::new(cause) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Output, Value};
    use burn_backend::{
        DType, Distribution, Elementwise, Layout, Linalg, Operation, Order, Scalar, Shape, TensorData,
        TensorSpec, UnaryOp,
    };

    fn program() -> Program {
        let spec = TensorSpec::new([2, 3], DType::F32);
        let steps = vec![
            Step::Create(Creation::Data(TensorData::from([[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]]))),
            Step::Create(Creation::Full {
                spec: TensorSpec::new([2, 2], DType::F32),
                value: Scalar::Float(0.5),
            }),
            Step::Create(Creation::Random {
                spec: spec.clone(),
                distribution: Distribution::Normal(0.0, 1.0),
            }),
            Step::Call(Operation::Linalg(Linalg::Matmul { lhs: Value(0), rhs: Value(1) })),
            Step::Call(Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Sin, x: Value(4) })),
            Step::Call(Operation::Layout(Layout::Cat { xs: vec![Value(5), Value(2), Value(4)], dim: 0 })),
            Step::Call(Operation::Order(Order::TopK {
                x: Value(6),
                k: 2,
                dim: 0,
                largest: true,
                index: DType::I64,
            })),
            Step::Call(Operation::Layout(Layout::Reshape { x: Value(3), shape: Shape::from([6]) })),
        ];
        let inputs = vec![Input { name: "x".into(), spec }];
        let outputs = [7, 8, 9].map(|value| Output { name: format!("y{value}"), value: Value(value) }).into();
        let names = [(Value(1), "weight".to_owned())].into();
        Program::new(Document { inputs, steps, outputs, names }).expect("the steps are right")
    }

    #[test]
    fn bytes_are_the_program() {
        let program = program();
        assert_eq!(Program::from_bytes(&program.to_bytes().unwrap()).unwrap(), program);
    }

    #[test]
    fn what_is_wrong_with_bytes_is_said() {
        let bytes = program().to_bytes().unwrap();
        let error = |bytes: &[u8]| Program::from_bytes(bytes).unwrap_err();
        assert!(matches!(error(b"something else"), ProgramError::NoProgram));
        assert!(matches!(error(&bytes[..10]), ProgramError::Length { .. }));
        assert!(matches!(error(&bytes[..bytes.len() - 1]), ProgramError::Length { .. }));
        let mut later = bytes.clone();
        later[8] = 7;
        assert!(matches!(error(&later), ProgramError::Version { found: 7, known: VERSION }));
        let mut damaged = bytes.clone();
        damaged[HEADER + 20] ^= 1;
        assert!(matches!(error(&damaged), ProgramError::Checksum));
        let operand_too_late = |document: &mut Document| document.steps.swap(0, 3);
        let missing = |document: &mut Document| document.outputs[0].value = Value(99);
        let huge =
            |document: &mut Document| document.inputs[0].spec = TensorSpec::new([usize::MAX, 2], DType::F32);
        let mut document = program().document().clone();
        operand_too_late(&mut document);
        assert!(matches!(Program::new(document), Err(ProgramError::Step { step: 0, name: "matmul", .. })));
        let mut document = program().document().clone();
        missing(&mut document);
        assert!(matches!(Program::new(document), Err(ProgramError::Missing { .. })));
        let mut document = program().document().clone();
        huge(&mut document);
        assert!(matches!(Program::new(document), Err(ProgramError::Malformed(_))));
    }

    /// Numbers that look random and are the same everywhere.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    #[test]
    fn changed_bytes_are_a_program_or_an_error() {
        let body = rmp_serde::to_vec_named(&program()).unwrap();
        let (mut random, mut refused) = (Random(1), 0);
        for _ in 0..50_000 {
            let mut changed = body.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                match random.below(6) {
                    0 => changed[at] ^= 1 << random.below(8),
                    1 => changed[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                    2 => changed.truncate(at.max(1)),
                    3 => changed.insert(at, random.below(256) as u8),
                    4 => drop(changed.splice(at..at, [0xff; 9])),
                    _ => drop(changed.remove(at)),
                }
                if changed.is_empty() {
                    changed.push(0);
                }
            }
            match parse(&changed) {
                // A program that parses can be printed and written again.
                Ok(program) => {
                    assert!(!program.to_string().is_empty() || program.inputs().is_empty());
                    assert_eq!(
                        Program::from_bytes(&program.to_bytes().unwrap()).unwrap().steps().len(),
                        program.steps().len()
                    );
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
        assert!((10_000..50_000).contains(&refused), "{refused} of 50,000 were refused");
    }

    /// Creates a file with the right length and checksum.
    fn sealed(body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u64).to_le_bytes();
        [&MAGIC[..], &VERSION.to_le_bytes(), &length, &checksum(body).to_le_bytes(), body].concat()
    }

    #[test]
    fn a_program_of_millions_of_values_is_refused() {
        let nils = [&b"\x84\xa6inputs\xdd\x04\x00\x00\x00"[..], &vec![0xc0; 64 << 20]].concat();
        let error = Program::from_bytes(&sealed(&nils)).unwrap_err();
        assert!(matches!(error, ProgramError::Malformed(_)), "{error}");
        // A constant whose shape has as many dimensions.
        let mut program = program().to_bytes().unwrap()[HEADER..].to_vec();
        let at = program.windows(5).position(|window| window == b"shape").unwrap() + 5;
        program.splice(at..=at, [&[0xdd, 4, 0, 0, 0][..], &vec![0; 64 << 20]].concat());
        let error = Program::from_bytes(&sealed(&program)).unwrap_err();
        assert!(error.to_string().contains("more than 8388608 values"), "{error}");
    }
}
