//! The choice among kernels that compute the same: by a model, by measurements, and by those of another
//! process.
//!
//! Variables of the environment are for whole processes, so most of it happens in children of the test:
//! [`play`].

mod device;
mod products;

use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, HasSpec, Shape, Slice, TensorData, block_on};
use burn_cubecl::{Autotune, Form, Why, matmul_by};
use burn_profile::Profile;
use burn_wgpu::{CubeTensor, Engine, Wgpu, WgpuDevice};
use products::{forms, random, turned};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

type B = Wgpu<f32, i32>;

/// Environment variable with the role of a child process.
const ROLE: &str = "BURN_TEST_ROLE";

fn data(x: CubeTensor) -> TensorData {
    block_on(B::into_data(x)).unwrap().unwrap()
}

/// Every second column of a wider one.
fn stepped(shape: &[usize], dtype: DType) -> CubeTensor {
    let mut wide = shape.to_vec();
    *wide.last_mut().unwrap() *= 2;
    let last = wide.len() - 1;
    let slice = |(d, &end): (usize, &usize)| Slice { start: 0, end, step: if d == last { 2 } else { 1 } };
    let slices = wide.iter().enumerate().map(slice).collect();
    B::slice(random(Shape::from(wide), dtype), slices)
}

fn check_same(lhs: &CubeTensor, rhs: &CubeTensor) -> usize {
    let expected = B::matmul(lhs.clone(), rhs.clone());
    let forms = forms(&expected);
    let expected = data(expected);
    for &form in &forms {
        let found = data(matmul_by(form, lhs, rhs));
        let title = format!("{form} of {:?} and {:?}, {}", lhs.spec().shape, rhs.spec().shape, lhs.dtype());
        assert!(found.as_bytes() == expected.as_bytes(), "{title}");
    }
    forms.len()
}

#[test]
fn every_kernel_gives_the_same_bits() {
    device::require();
    let sizes: [[usize; 3]; 12] = [
        [1, 1, 1],
        [1, 1, 77],
        [1, 100, 33],
        [130, 1, 65],
        [3, 5, 7],
        [17, 40, 16],
        [64, 64, 64],
        [65, 63, 17],
        [33, 129, 100],
        [128, 128, 8],
        [129, 127, 31],
        [200, 150, 257],
    ];
    let engine = random([1, 1], DType::F32).engine();
    let mut compared = 0;
    for dtype in [DType::F32, DType::F16, DType::I32].into_iter().filter(|&dtype| engine.has(dtype)) {
        for [rows, cols, depth] in sizes {
            let (lhs, rhs) = (random([rows, depth], dtype), random([depth, cols], dtype));
            compared += check_same(&lhs, &rhs);
            compared += check_same(&turned(lhs.clone()), &turned(rhs.clone()));
            compared += check_same(&lhs, &turned(rhs));
            compared += check_same(&stepped(&[rows, depth], dtype), &stepped(&[depth, cols], dtype));
        }
        // Batches, and such that meet one matrix or a batch of another dimension.
        let batches: [(&[usize], &[usize]); 4] = [
            (&[3, 40, 20], &[3, 20, 50]),
            (&[3, 40, 20], &[1, 20, 50]),
            (&[2, 1, 1, 90], &[3, 90, 70]),
            (&[2, 1, 70, 9], &[3, 9, 1]),
        ];
        for (lhs, rhs) in batches {
            let (lhs, rhs) =
                (random(Shape::from(lhs.to_vec()), dtype), random(Shape::from(rhs.to_vec()), dtype));
            compared += check_same(&lhs, &rhs);
            compared += check_same(&turned(lhs), &rhs);
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn integers_are_added_up_as_on_the_host() {
    device::require();
    let [rows, cols, depth] = [70, 90, 130];
    let (lhs, rhs) = (random([rows, depth], DType::I32), random([depth, cols], DType::I32));
    let numbers =
        |x: &CubeTensor| -> Vec<i64> { data(x.clone()).to_f64().iter().map(|&x| x as i64).collect() };
    let (a, b) = (numbers(&lhs), numbers(&rhs));
    let expected: Vec<i64> = (0..rows * cols)
        .map(|at| (0..depth).map(|d| a[at / cols * depth + d] * b[d * cols + at % cols]).sum())
        .collect();
    assert!(expected.iter().any(|&number| number < -100) && expected.iter().any(|&number| number > 100));
    for form in forms(&B::matmul(lhs.clone(), rhs.clone())) {
        assert_eq!(numbers(&matmul_by(form, &lhs, &rhs)), expected, "{form}");
    }
}

#[test]
#[should_panic(expected = "matmul 1x64x32 of")]
fn a_kernel_for_other_shapes_is_refused() {
    device::require();
    let vector = Form::all().iter().find(|form| form.to_string() == "1x64x32").unwrap();
    matmul_by(*vector, &random([2, 3], DType::F32), &random([3, 2], DType::F32));
}

/// A folder that is there until it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("burn-tune-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }

    /// The file of the device, once one was written.
    fn file(&self) -> Option<PathBuf> {
        let folder = std::fs::read_dir(self.0.join("autotune").join("1")).ok()?;
        folder.map(|file| file.unwrap().path()).find(|path| path.extension().is_some_and(|end| end == "txt"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The test that [`run`] runs.
const ENTRY: &str = "pf_007_what_one_process_measures_others_know";

/// Plays a role in a process of its own. It has to end well.
fn run(role: &str, mode: &str, cache: Option<&Path>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([ENTRY, "--exact", "--nocapture"]).env(ROLE, role).env("BURN_AUTOTUNE", mode);
    let output = command.env("BURN_CACHE", cache.unwrap_or("".as_ref())).output().unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{role} {mode}: {}\n{out}\n{error}", output.status);
    assert!(out.contains("1 passed"), "no test is called `{ENTRY}`\n{out}");
    output
}

fn warnings(output: &Output) -> Vec<String> {
    let error = String::from_utf8_lossy(&output.stderr);
    error.lines().filter(|line| line.starts_with("warning: ")).map(str::to_string).collect()
}

/// The part of a process that a test above or below asks for.
fn play(role: &str) {
    let mut product = Squares::new(192);
    match role {
        "measure" => product.measure(),
        "model" => product.stays_with(Why::Model),
        "cached" => product.stays_with(Why::Cached),
        "small" => Squares::new(32).stays_with(Why::Model),
        "leave" => product.run(3),
        "profile" => profile(),
        other => panic!("{other}"),
    }
}

/// Products of square matrices.
struct Squares {
    lhs: CubeTensor,
    rhs: CubeTensor,
    engine: &'static dyn Engine,
}

impl Squares {
    fn new(size: usize) -> Self {
        let (lhs, rhs) = (random([size, size], DType::F32), random([size, size], DType::F32));
        let engine = lhs.engine();
        Squares { lhs, rhs, engine }
    }

    /// Each call is one launch, whatever happens in the background.
    fn run(&mut self, times: usize) {
        let (launches, reads) = (self.engine.launches(), self.engine.reads());
        for _ in 0..times {
            B::matmul(self.lhs.clone(), self.rhs.clone());
        }
        assert_eq!(self.engine.launches() - launches, times);
        assert_eq!(self.engine.reads(), reads);
    }

    fn why(&self) -> Why {
        let choices = self.engine.tuner().choices();
        assert_eq!(choices.len(), 1, "{choices:?}");
        choices[0].why
    }

    fn stays_with(&mut self, why: Why) {
        for _ in 0..4 {
            self.run(20);
            std::thread::sleep(Duration::from_millis(100));
            if Autotune::current() == Autotune::Off {
                assert_eq!(self.engine.tuner().choices(), []);
            } else {
                assert_eq!(self.why(), why);
            }
        }
    }

    /// Calls until a worker has measured, and results that stay the same.
    fn measure(&mut self) {
        let before = data(B::matmul(self.lhs.clone(), self.rhs.clone()));
        // However long it takes: a worker that never measures keeps this test from ending.
        while self.choice().why != Why::Measured {
            self.run(8);
            // The device is given to the one who measures.
            B::sync(&WgpuDevice::default());
            std::thread::sleep(Duration::from_millis(20));
        }
        let choice = self.choice();
        let (time, advised) = (choice.time.unwrap(), choice.advised_time.unwrap());
        assert!(time > Duration::ZERO && time <= advised, "{choice:?}");
        assert_eq!(choice.candidate == choice.advised, time == advised, "{choice:?}");
        let reads = self.engine.reads();
        let after = data(B::matmul(self.lhs.clone(), self.rhs.clone()));
        assert_eq!(self.engine.reads(), reads + 1);
        assert!(before.as_bytes() == after.as_bytes(), "{choice:?}");
    }

    fn choice(&self) -> burn_wgpu::Choice {
        let choices = self.engine.tuner().choices();
        assert_eq!(choices.len(), 1, "{choices:?}");
        choices[0].clone()
    }
}

/// Which kernels ran is in the profile.
fn profile() {
    type P = Profile<B>;
    let (lhs, rhs) = (random([40, 50], DType::F32), random([50, 60], DType::F32));
    for _ in 0..3 {
        let product = P::matmul(lhs.clone(), rhs.clone());
        P::unary(burn_backend::UnaryOp::Exp, product);
    }
    let report = P::report();
    let row = |name: &str| report.by_name().into_iter().find(|row| row.name == name).unwrap();
    let choice = lhs.engine().tuner().choices().remove(0);
    let expected = (format!("matmul {} (by the model)", choice.candidate), 3);
    assert!(row("matmul").kernels.iter().eq([(&expected.0, &expected.1)]), "{report}");
    assert_eq!(row("exp").kernels.values().sum::<u64>(), 3);
    assert!(report.to_string().contains(&format!("    {}  3\n", expected.0)), "{report}");
}

#[test]
fn pf_007_what_one_process_measures_others_know() {
    device::require();
    if let Ok(role) = std::env::var(ROLE) {
        return play(&role);
    }
    let folder = Folder::new("cache");
    let measured = run("measure", "full", Some(&folder.0));
    assert_eq!(warnings(&measured), [""; 0]);
    let file = folder.file().expect("it was written");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("burn autotune 1\twgpu "), "{text}");
    assert!(lines[1].starts_with("matmul f32 rows-rows 1 192 192 192\t"), "{text}");
    assert_eq!(lines.len(), 2, "{text}");
    run("cached", "full", Some(&folder.0));
    // By powers of two it is another key.
    run("cached", "off", Some(&folder.0));

    // Programs run with any state of the file, and report it once.
    for damaged in [
        text.replace("matmul", "\u{0}").replace('\t', " "),
        text[..text.len() - 2].to_string(),
        "x".repeat(5000),
    ] {
        std::fs::write(&file, &damaged).unwrap();
        let output = run("measure", "full", Some(&folder.0));
        let told = warnings(&output);
        assert!(told.len() == 1 && told[0].contains(&*file.to_string_lossy()), "{told:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    }
}

#[test]
fn pf_007_by_default_what_is_frequent_and_long_is_measured_and_a_variable_turns_it_off() {
    device::require();
    run("measure", "min", None);
    run("small", "min", None);
    run("model", "off", None);
    let unknown = run("small", "most", None);
    let expected = "warning: BURN_AUTOTUNE=most is none of `off`, `min` and `full`; it is taken as `min`";
    assert_eq!(warnings(&unknown), [expected]);
}

#[test]
fn a_program_ends_while_something_is_measured() {
    device::require();
    // One that does not end keeps this test from ending too.
    for _ in 0..3 {
        run("leave", "full", None);
    }
}

#[test]
fn the_profile_says_which_kernel_ran() {
    device::require();
    run("profile", "min", None);
}
