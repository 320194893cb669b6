//! Builds the page and serves it.
//!
//! ```text
//! cargo run --release --package training-web --example training-web [PORT]
//! ```
//!
//! PORT is 8000 by default.

use std::path::{Path, PathBuf};
use web_page::{Error, Page, Profile, Server};

fn main() -> Result<(), Error> {
    let port = std::env::args().nth(1).unwrap_or_else(|| "8000".into());
    let port = port.parse().map_err(|_| format!("expected the number of a port, got `{port}`"))?;
    let package = env!("CARGO_PKG_NAME");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<PathBuf> =
        ["index.html", "page.js", "curve.js", "map.js"].map(|name| root.join("web").join(name)).into();
    let folder = root.join("../../target/web").join(package);

    println!("compiling for browsers");
    let page = Page { package, features: &[], files: &files, profile: Profile::Small };
    page.build(&folder)?;
    let size = page.check_size(&folder)? / 1000;
    let server = Server::start(&folder, port)?;
    println!("{} ({size} kB, compressed); Ctrl-C ends it", server.address());
    while let Ok(post) = server.posts().recv() {
        println!("{}: {}", post.path, post.text);
    }
    Ok(())
}
