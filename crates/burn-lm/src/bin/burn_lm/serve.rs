use crate::arguments::ServeArguments;
use crate::{CommandResult, load};
use burn_core::tensor::Backend;
use burn_lm::EngineOptions;
use burn_lm::server::{LanguageModelServer, ServerOptions};
use std::io::Write;
use tokio::net::TcpListener;

/// Serves a model until the process is interrupted.
pub fn run<B: Backend>(arguments: ServeArguments) -> CommandResult {
    let generator = load::<B>(&arguments.model)?;
    let name = arguments.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let positions = arguments.cache;
    let engine = EngineOptions::new()
        .with_cache_positions(positions)
        .with_cache_dtype(arguments.cache_dtype.map(Into::into))
        .with_max_sequences(arguments.sequences);
    let mut keys = arguments.api_key;
    keys.extend(std::env::var("BURN_LM_API_KEY").ok());
    let options = ServerOptions::new(name)
        .with_api_keys(keys)
        .with_max_requests(arguments.requests)
        .with_max_body_bytes(arguments.max_body)
        .with_engine(engine);
    let server = LanguageModelServer::new(generator, options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await?;
        println!("http://{}", listener.local_addr()?);
        std::io::stdout().flush()?;
        let interrupted = async { drop(tokio::signal::ctrl_c().await) };
        server.serve(listener, interrupted).await
    })?;
    Ok(())
}
