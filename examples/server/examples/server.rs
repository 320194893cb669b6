//! Computes on the processor for programs elsewhere, until Ctrl-C.
//!
//! ```text
//! cargo run --release --example server
//! ```

use burn::backend::NdArray;
use burn::server::Server;
use clap::Parser;
use server::Args;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("server: {error}");
            ExitCode::FAILURE
        }
    }
}

// ANCHOR: run
fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let server = Server::start::<NdArray>(Default::default(), args.options()?)?;
    println!("listening on {}", server.url());
    server.run();
    Ok(())
}
// ANCHOR_END: run
