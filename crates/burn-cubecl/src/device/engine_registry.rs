use crate::device::engine::Engine;
use std::sync::Mutex;

/// The engines of a runtime: one for each device that was used so far, for as long as the process lives.
#[derive(Debug, Default)]
pub struct Engines<D: 'static>(Mutex<Vec<(D, &'static dyn Engine)>>);

impl<D: Copy + PartialEq> Engines<D> {
    pub const fn new() -> Self {
        Engines(Mutex::new(Vec::new()))
    }

    /// Returns the engine of `device`, which `make` creates on the first call.
    pub fn get(&self, device: D, make: impl FnOnce() -> Box<dyn Engine>) -> &'static dyn Engine {
        let known = |engines: &[(D, &'static dyn Engine)]| {
            engines.iter().find(|(known, _)| *known == device).map(|(_, engine)| *engine)
        };
        if let Some(engine) = known(&self.0.lock().expect("nobody panics while it is held")) {
            return engine;
        }
        let new = make();
        let mut engines = self.0.lock().expect("nobody panics while it is held");
        // Another thread may have been faster.
        known(&engines).unwrap_or_else(|| {
            let engine: &'static dyn Engine = Box::leak(new);
            engine.wait_at_the_end();
            engines.push((device, engine));
            engine
        })
    }

    /// Returns the device of one of these engines.
    ///
    /// # Panics
    /// When the engine is of another runtime.
    pub fn device(&self, engine: &'static dyn Engine) -> D {
        let engines = self.0.lock().expect("nobody panics while it is held");
        let found = engines.iter().find(|(_, known)| std::ptr::addr_eq(*known, engine));
        found.map(|(device, _)| *device).expect("engines are made here")
    }
}
