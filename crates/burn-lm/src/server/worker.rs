//! The thread that computes.

use super::metrics::Metrics;
use crate::LmError;
use crate::engine::{
    EngineOptions, GenerationEngine, GenerationEvent, GenerationRequest, RequestId, TextGenerator,
};
use burn_core::tensor::Backend;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvError, TryRecvError};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// Work for the thread.
pub enum Command {
    Generate(Box<GenerationRequest>, UnboundedSender<GenerationEvent>),
    Embed(Vec<Vec<u32>>, oneshot::Sender<Result<Vec<Vec<f32>>, LmError>>),
}

struct Client {
    events: UnboundedSender<GenerationEvent>,
    start: Instant,
    waits_for_first: bool,
}

pub struct Worker<B: Backend> {
    engine: GenerationEngine<B>,
    options: EngineOptions,
    clients: HashMap<RequestId, Client>,
    metrics: Arc<Metrics>,
}

impl<B: Backend> Worker<B> {
    pub fn new(engine: GenerationEngine<B>, options: EngineOptions, metrics: Arc<Metrics>) -> Self {
        Worker { engine, options, clients: HashMap::new(), metrics }
    }

    /// Computes until all senders are gone.
    pub fn run(mut self, commands: &Receiver<Command>) {
        loop {
            if self.engine.is_idle() {
                match commands.recv() {
                    Ok(command) => self.execute(command),
                    Err(RecvError) => return,
                }
            }
            loop {
                match commands.try_recv() {
                    Ok(command) => self.execute(command),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            self.cancel_closed();
            self.step();
            let (active, waiting) = self.engine.load();
            self.metrics.active.store(active as u64, Relaxed);
            self.metrics.waiting.store(waiting as u64, Relaxed);
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Generate(request, events) => match self.engine.submit(*request) {
                Ok(id) => {
                    let client = Client { events, start: Instant::now(), waits_for_first: true };
                    self.clients.insert(id, client);
                }
                // The client may have gone.
                Err(error) => drop(events.send(GenerationEvent::Failed(error))),
            },
            Command::Embed(texts, reply) => {
                if reply.is_closed() {
                    return;
                }
                let generator = self.engine.generator().clone();
                let embed = || texts.iter().map(|tokens| generator.embed(tokens)).collect();
                let result = catch_unwind(AssertUnwindSafe(embed)).unwrap_or(Err(LmError::Cancelled));
                drop(reply.send(result));
            }
        }
    }

    fn cancel_closed(&mut self) {
        let closed = self.clients.iter().filter(|(_, client)| client.events.is_closed());
        let closed: Vec<RequestId> = closed.map(|(id, _)| *id).collect();
        for id in closed {
            self.engine.cancel(id);
            self.clients.remove(&id);
            Metrics::add(&self.metrics.cancelled, 1);
        }
    }

    fn step(&mut self) {
        let engine = &mut self.engine;
        let Ok(events) = catch_unwind(AssertUnwindSafe(|| engine.step())) else {
            // The cache may be damaged: all requests fail, and the next ones get a new one.
            for (_, client) in self.clients.drain() {
                Metrics::add(&self.metrics.failed, 1);
                drop(client.events.send(GenerationEvent::Failed(LmError::Cancelled)));
            }
            let generator: TextGenerator<B> = self.engine.generator().clone();
            if let Ok(engine) = GenerationEngine::new(generator, self.options.clone()) {
                self.engine = engine;
            }
            return;
        };
        for (id, event) in events {
            let Some(client) = self.clients.get_mut(&id) else { continue };
            let ends = match &event {
                GenerationEvent::Token(_) => {
                    if std::mem::take(&mut client.waits_for_first) {
                        let time = client.start.elapsed().as_micros();
                        Metrics::add(&self.metrics.first_token_microseconds, time as usize);
                        Metrics::add(&self.metrics.first_tokens, 1);
                    }
                    Metrics::add(&self.metrics.generated_tokens, 1);
                    false
                }
                GenerationEvent::Finished { usage, .. } => {
                    Metrics::add(&self.metrics.prompt_tokens, usage.prompt_tokens);
                    Metrics::add(&self.metrics.cached_tokens, usage.cached_tokens);
                    true
                }
                GenerationEvent::Failed(_) => {
                    Metrics::add(&self.metrics.failed, 1);
                    true
                }
            };
            // A client that has gone is noticed before the next step.
            drop(client.events.send(event));
            if ends {
                self.clients.remove(&id);
            }
        }
    }
}
