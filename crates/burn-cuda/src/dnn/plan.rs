use super::descriptor::Descriptor;
use super::graph::Graph;
use super::session::Session;
use crate::CudaError;
use cudarc::cudnn::sys::{
    cudnnBackendAttributeName_t as Name, cudnnBackendDescriptorType_t as Kind,
    cudnnBackendHeurMode_t as Heuristic, cudnnBackendNumericalNote_t as Note,
};
use std::ffi::c_void;

/// Engines that are looked at, of those that a heuristic names.
const MOST: usize = 32;
/// Alignment of addresses in the workspace, in bytes.
const ALIGNMENT: usize = 256;

/// A graph and the engine that computes it.
#[derive(Debug)]
pub struct Plan {
    plan: Descriptor,
    /// Bytes that the engine needs beside the operands.
    own: usize,
    /// Graph of the plan, kept alive because the plan may refer to it.
    graph: Graph,
    _parts: [Descriptor; 2],
}

impl Plan {
    /// Builds a plan with the first engine that has none of the excluded notes and supports the graph: first
    /// among engines with the note `first`, if there is one, then by the library's heuristics.
    ///
    /// # Errors
    /// When there is no such engine: the first reason that the library gives, or the first that may pass.
    pub fn new(
        session: &Session,
        graph: Graph,
        first: Option<Note>,
        without: &[Note],
    ) -> Result<Self, CudaError> {
        let whole = graph.finalized(session)?;
        let mut cause: Option<CudaError> = None;
        let mut failed = |error: CudaError| {
            let stays = cause.as_ref().is_some_and(|cause| cause.is_passing() || !error.is_passing());
            if !stays {
                cause = Some(error);
            }
        };
        let heuristics = [Heuristic::CUDNN_HEUR_MODE_A, Heuristic::CUDNN_HEUR_MODE_FALLBACK];
        for source in first.map(EngineSource::Noted).into_iter().chain(heuristics.map(EngineSource::Advised))
        {
            // A heuristic that knows no engine for the graph fails.
            let configs = source.configurations(&whole).unwrap_or_else(|error| {
                failed(error);
                Vec::new()
            });
            for config in configs {
                if notes(&config)?.iter().any(|&note| without.iter().any(|&avoided| avoided as i32 == note)) {
                    continue;
                }
                match planned(session, &config) {
                    Ok((plan, own)) => return Ok(Plan { plan, own, graph, _parts: [config, whole] }),
                    Err(error) => failed(error),
                }
            }
        }
        Err(cause.unwrap_or(CudaError::Unsupported { what: "calls for which cuDNN has no exact engine" }))
    }

    /// Returns the bytes of workspace for a call.
    pub fn workspace(&self) -> usize {
        self.graph.scratch.iter().fold(self.own.next_multiple_of(ALIGNMENT), |all, (_, bytes)| {
            all + bytes.next_multiple_of(ALIGNMENT)
        })
    }

    /// Puts the call into the stream of the session.
    ///
    /// # Safety
    /// `places` are those of the operands of the graph, in order, and `workspace` is that of as many bytes as
    /// the plan says, all on the device of the session.
    pub unsafe fn run(&self, session: &Session, places: &[u64], workspace: u64) -> Result<(), CudaError> {
        let mut numbers: Vec<i64> = (0..places.len() as i64).collect();
        let mut pointers: Vec<*mut c_void> = places.iter().map(|&place| place as *mut c_void).collect();
        for (number, value) in &self.graph.scalars {
            numbers.push(*number);
            pointers.push((&raw const *value).cast_mut().cast());
        }
        let mut free = workspace + self.own.next_multiple_of(ALIGNMENT) as u64;
        for (number, bytes) in &self.graph.scratch {
            numbers.push(*number);
            pointers.push(free as *mut c_void);
            free += bytes.next_multiple_of(ALIGNMENT) as u64;
        }
        let pack = Descriptor::new(Kind::CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, &numbers)?
            .with(Name::CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, &pointers)?
            .with(Name::CUDNN_ATTR_VARIANT_PACK_WORKSPACE, &[workspace as *mut c_void])?
            .finalized()?;
        // SAFETY: the caller's.
        unsafe { self.plan.execute(session.handle(), &pack) }
    }
}

/// Source of candidate engines for a graph.
enum EngineSource {
    /// All engines with this note, with their default settings: heuristics do not list each of them.
    Noted(Note),
    /// Engines recommended by a heuristic, the best first.
    Advised(Heuristic),
}

impl EngineSource {
    fn configurations(&self, whole: &Descriptor) -> Result<Vec<Descriptor>, CudaError> {
        match *self {
            EngineSource::Noted(note) => {
                let count = whole.number(Name::CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT)?;
                // An engine that does not take the graph fails.
                Ok((0..count).filter_map(|index| noted(whole, index, note).ok().flatten()).collect())
            }
            EngineSource::Advised(heuristic) => {
                let advice = Descriptor::new(Kind::CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)?
                    .with_parts(Name::CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, &[whole])?
                    .with(Name::CUDNN_ATTR_ENGINEHEUR_MODE, &[heuristic])?
                    .finalized()?;
                advice.parts(
                    Name::CUDNN_ATTR_ENGINEHEUR_RESULTS,
                    Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                    MOST,
                )
            }
        }
    }
}

/// The engine of this number, if it has the note.
fn noted(whole: &Descriptor, index: i64, note: Note) -> Result<Option<Descriptor>, CudaError> {
    let engine = Descriptor::new(Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR)?
        .with_parts(Name::CUDNN_ATTR_ENGINE_OPERATION_GRAPH, &[whole])?
        .with(Name::CUDNN_ATTR_ENGINE_GLOBAL_INDEX, &[index])?
        .finalized()?;
    if !engine.notes()?.contains(&(note as i32)) {
        return Ok(None);
    }
    let config = Descriptor::new(Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)?
        .with_parts(Name::CUDNN_ATTR_ENGINECFG_ENGINE, &[&engine])?
        .finalized()?;
    Ok(Some(config))
}

fn notes(config: &Descriptor) -> Result<Vec<i32>, CudaError> {
    let engine = config.parts(Name::CUDNN_ATTR_ENGINECFG_ENGINE, Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1)?;
    engine.first().map_or(Ok(Vec::new()), Descriptor::notes)
}

fn planned(session: &Session, config: &Descriptor) -> Result<(Descriptor, usize), CudaError> {
    let plan = Descriptor::new(Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)?
        .with(Name::CUDNN_ATTR_EXECUTION_PLAN_HANDLE, &[session.handle()])?
        .with_parts(Name::CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, &[config])?
        .finalized()?;
    let own = plan.number(Name::CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)?;
    Ok((plan, own as usize))
}
