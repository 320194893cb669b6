use crate::{Error, Server};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Variable that names the browser.
const VARIABLE: &str = "CHROMIUM";

/// Programs that are tried where the variable is not set.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Graphics of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graphics {
    /// No WebGPU.
    None,
    /// WebGPU, in software where there is no GPU.
    WebGpu,
}

/// Chromium without a window.
#[derive(Debug)]
pub struct Chromium {
    program: String,
    graphics: Graphics,
}

impl Chromium {
    /// Finds the program: the variable `CHROMIUM`, or the name that it has on most systems.
    ///
    /// # Errors
    /// It is not installed.
    pub fn find(graphics: Graphics) -> Result<Self, Error> {
        let given = std::env::var(VARIABLE).ok();
        let mut programs = given.iter().map(String::as_str).chain(PROGRAMS);
        let starts = |program: &&str| {
            let version =
                Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        let program = programs.find(starts).ok_or_else(|| {
            format!("there is no Chromium: install it (`apt-get install chromium`), or name it in the variable {VARIABLE}")
        })?;
        Ok(Chromium { program: program.to_string(), graphics })
    }

    /// Opens a page of `server`, such as `/index.html?test`, waits until it sends a text to `/report`, and
    /// returns it.
    ///
    /// # Errors
    /// The page sends a text to `/error`, or the browser ends before: with what it printed, the console of
    /// the page too.
    pub fn report(&self, server: &Server, page: &str) -> Result<String, Error> {
        let profile = tempfile::tempdir()?;
        let log = profile.path().join("log.txt");
        let mut browser = self.start(profile.path(), &log, &format!("{}{page}", server.address()))?;
        let report = wait(&mut browser, server);
        // It may have ended by itself.
        _ = browser.kill();
        browser.wait()?;
        report.map_err(|error| {
            let log = std::fs::read(&log).unwrap_or_default();
            format!("{page}: {error}\n{}", String::from_utf8_lossy(&log)).into()
        })
    }

    fn start(&self, profile: &Path, log: &Path, address: &str) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync"]);
        let quiet = ["--disable-background-networking", "--disable-component-update"];
        command.args(quiet).arg("--enable-logging=stderr");
        let webgpu = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-angle=vulkan"];
        match self.graphics {
            Graphics::None => command.arg("--disable-gpu"),
            Graphics::WebGpu => command.args(webgpu),
        };
        command.arg(format!("--user-data-dir={}", profile.display())).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?).spawn()
    }
}

fn wait(browser: &mut Child, server: &Server) -> Result<String, Error> {
    loop {
        match server.posts().recv_timeout(Duration::from_millis(200)) {
            Ok(post) if post.path == "/report" => return Ok(post.text),
            Ok(post) if post.path == "/error" => return Err(post.text.into()),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(error @ RecvTimeoutError::Disconnected) => return Err(error.into()),
        }
        if let Some(status) = browser.try_wait()? {
            return Err(format!("the browser ended before the page was done ({status})").into());
        }
    }
}
