use crate::Error;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// The packages of all pages. Tests name all of them when they build one: what these have below them is then
/// compiled once, with the features of all, and not once for each page.
const PAGES: [&str; 3] = ["image-classification-web", "mnist-inference-web", "training-web"];

/// Optimisation of the library of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Compiles fast, as tests want it.
    Dev,
    /// Runs fast, as users want it.
    Release,
    /// Loads fast: about half of the size of `Release`, for networks that are small.
    Small,
    /// Kernels as fast as those of `Release`, and the rest as small as in `Small`.
    FastKernels,
    /// As `FastKernels`, with threads: needs nightly Rust with the component `rust-src`.
    Threads,
}

/// Largest number of bytes that a browser may load for a page, weights and pictures left out. The CPU backend
/// alone, with every operation in every element type, is above it: pages name what they use (decision 63).
const LARGEST_PAGE: usize = 600_000;

/// A page: a package of this workspace, whose library is compiled to WebAssembly, and the files beside it.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    pub package: &'a str,
    /// Features of the package, beside the default ones.
    pub features: &'a [&'a str],
    /// Files that are copied, `index.html` among them.
    pub files: &'a [PathBuf],
    pub profile: Profile,
}

impl Page<'_> {
    /// Builds the page in `folder`: the files, `NAME_bg.wasm`, and `NAME.js`, which loads it.
    ///
    /// # Errors
    /// The library does not compile, which is also so where the compiler has no standard library for
    /// browsers, or a file cannot be read or written.
    pub fn build(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder)?;
        for file in self.files {
            let name = file.file_name().ok_or_else(|| format!("`{}` is no file", file.display()))?;
            std::fs::copy(file, folder.join(name))
                .map_err(|error| format!("`{}`: {error}", file.display()))?;
        }
        let library = self.compile()?;
        let mut bindgen = Bindgen::new();
        let is_release = self.profile != Profile::Dev;
        bindgen.input_path(library).typescript(false).remove_name_section(is_release);
        bindgen.remove_producers_section(is_release).omit_default_module_path(false);
        bindgen.web(true)?.generate(folder)?;
        Ok(())
    }

    /// Checks that the library compiles for browsers, which takes a third of the time of building it.
    ///
    /// # Errors
    /// It does not, or the compiler has no standard library for browsers.
    pub fn check(&self) -> Result<(), Error> {
        self.cargo("check").map(|_| ())
    }

    /// Returns the bytes that a browser loads from the folder of this page: documents, scripts and
    /// WebAssembly, each compressed by gzip, as servers send them. Weights and pictures are left out.
    ///
    /// # Errors
    /// A file cannot be read, or the sum is above 600 kB.
    pub fn check_size(&self, folder: &Path) -> Result<usize, Error> {
        let size = compressed_size(folder)?;
        if size > LARGEST_PAGE {
            let (package, size, most) = (self.package, size / 1000, LARGEST_PAGE / 1000);
            return Err(format!("`{package}` takes {size} kB compressed; expected at most {most}").into());
        }
        Ok(size)
    }

    /// Compiles the library, and returns its file.
    fn compile(&self) -> Result<PathBuf, Error> {
        // The library is an `rlib` too: with the crate type named, cargo optimises across crates.
        let messages = self.cargo(if self.profile == Profile::Dev { "build" } else { "rustc" })?;
        let library = messages.lines().rev().find_map(|message| library(message, self.package));
        library.ok_or_else(|| format!("`{}` has no library of the type `cdylib`", self.package).into())
    }

    /// Runs a command of cargo, and returns its messages.
    fn cargo(&self, name: &str) -> Result<String, Error> {
        let mut command = cargo(self.profile == Profile::Threads);
        command.args([name, "--quiet", "--lib", "--target", TARGET, "--package", self.package]);
        command.arg("--message-format=json-render-diagnostics");
        match self.profile {
            Profile::Dev if self.features.is_empty() => {
                command.args(["--config", "xtask/kernels-once.toml"]);
                let others = PAGES.iter().filter(|package| **package != self.package);
                command.args(others.flat_map(|package| ["--package", package]));
            }
            Profile::Dev => {}
            Profile::Release => _ = command.arg("--release"),
            Profile::Small => _ = command.args(["--profile", "page"]),
            Profile::FastKernels | Profile::Threads => _ = command.args(["--profile", "fast-page"]),
        }
        if name == "rustc" {
            command.args(["--crate-type", "cdylib"]);
        }
        if !self.features.is_empty() {
            command.arg("--features").arg(self.features.join(","));
        }
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            let advice = "where the compiler lacks the target: `rustup target add wasm32-unknown-unknown`, and \
                          for threads `rustup toolchain install nightly --component rust-src`";
            return Err(format!("`{}` does not compile for browsers; {advice}", self.package).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// Returns the bytes of documents, scripts and WebAssembly in a folder, each compressed by gzip.
fn compressed_size(folder: &Path) -> Result<usize, Error> {
    let mut size = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some("css" | "html" | "js" | "wasm") = path.extension().and_then(OsStr::to_str) {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&std::fs::read(path)?)?;
            size += encoder.finish()?.len();
        }
    }
    Ok(size)
}

/// Reads a message of cargo: the WebAssembly file of a package, or something else.
fn library(message: &str, package: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let name = package.replace('-', "_");
    if message["reason"] != "compiler-artifact" || message["target"]["name"] != name {
        return None;
    }
    let mut files = message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
    files.find(|file| file.ends_with(".wasm")).map(PathBuf::from)
}

/// Cargo, without the variables that describe the package of this program: build scripts would run again.
fn cargo(has_threads: bool) -> Command {
    let program = std::env::var_os("CARGO").filter(|_| !has_threads).unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    if has_threads {
        command.args(["+nightly", "--config", ".cargo/web-threads.toml"]);
    }
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let described = |name: &String| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    names.filter(described).for_each(|name| _ = command.env_remove(name));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_examples_is_listed() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut found = Vec::new();
        for entry in std::fs::read_dir(examples).unwrap() {
            let folder = entry.unwrap().path();
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("cdylib") && manifest.contains("wasm-bindgen") {
                found.push(folder.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
        found.sort();
        assert_eq!(found, PAGES);
    }
}
