//! Serves a folder with a page to this machine, with the media type that WebAssembly needs.
//!
//! ```text
//! cargo run --package web-page --example web-page -- FOLDER [PORT]
//! ```
//!
//! PORT is 8000 by default.

use std::path::PathBuf;
use web_page::{Error, Server};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("expected a folder")?);
    if !folder.join("index.html").is_file() {
        return Err(format!("`{}` has no index.html", folder.display()).into());
    }
    let port = arguments.next().unwrap_or_else(|| "8000".into());
    let port = port.parse().map_err(|_| format!("expected the number of a port, got `{port}`"))?;
    let server = Server::start(&folder, port)?;
    println!("{}; Ctrl-C ends it", server.address());
    while let Ok(post) = server.posts().recv() {
        println!("{}: {}", post.path, post.text);
    }
    Ok(())
}
