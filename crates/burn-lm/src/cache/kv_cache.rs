use super::page_pool::PagePool;
use super::prefix_index::{PrefixIndex, ROOT};
use super::sequence_id::SequenceId;
use super::step_plan::{RowPositions, Run, Segment, StepPlan, Visible};
use super::stored_rows::{StoredRows, rounded, view, write, write_at};
use crate::LmError;
use crate::model::{FEW_QUERIES, KeyRun, RotaryTable, hidden_keys};
use burn_core::tensor::{Backend, Bool, Int, Tensor, TensorData};
use std::collections::HashMap;
use std::ops::Range;

/// Positions in a page.
pub(super) const PAGE: usize = 32;

/// Keys and values of several sequences, in pages of 32 positions.
///
/// A sequence reserves its pages when it starts, so that it cannot run out of memory later. Full pages stay
/// in memory after the sequence has ended, as long as no other needs them, and a sequence that begins with
/// the same tokens takes them instead of computing them again.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
///
/// let model: LanguageModel<NdArray> = LanguageModelConfig::new(50, 16, 2, 2, 32).init(&Default::default())?;
/// let mut cache = KvCache::new(&model, 256)?;
/// let prompt: Vec<u32> = (0..40).collect();
/// let first = cache.start(&prompt, 64)?;
/// model.decode(&[(first, &prompt)], &mut cache)?;
/// // The first 32 tokens are a full page, which the second sequence shares.
/// let second = cache.start(&prompt, 64)?;
/// assert_eq!((cache.len(first), cache.len(second)), (40, 32));
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KvCache<B: Backend> {
    /// Keys and values of each layer; `None` while a call writes them.
    pub(super) layers: Vec<[Option<StoredRows<B::Tensor>>; 2]>,
    pool: PagePool,
    index: PrefixIndex,
    pub(super) sequences: HashMap<SequenceId, Sequence>,
    last_id: u64,
    pub(super) rotary: [Option<RotaryTable>; 2],
    pub(super) window: Option<usize>,
    context: usize,
    pub(super) device: B::Device,
}

#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) pages: Vec<usize>,
    pub(super) tokens: Vec<u32>,
    /// The nodes of the full pages.
    nodes: Vec<u64>,
    pub(super) capacity: usize,
}

impl<B: Backend> KvCache<B> {
    /// Creates a cache of pages that no sequence has yet.
    pub(super) fn of_layers(
        layers: Vec<[Option<StoredRows<B::Tensor>>; 2]>,
        pages: usize,
        rotary: [Option<RotaryTable>; 2],
        window: Option<usize>,
        context: usize,
        device: B::Device,
    ) -> Self {
        KvCache {
            layers,
            pool: PagePool::new(pages),
            index: PrefixIndex::default(),
            sequences: HashMap::new(),
            last_id: 0,
            rotary,
            window,
            context,
            device,
        }
    }

    /// Starts a sequence of at most `capacity` tokens, the prompt among them. Its length is then the number
    /// of tokens at the start of the prompt whose keys and values are in memory already; the others are to be
    /// decoded, at least one.
    ///
    /// # Errors
    /// The prompt is empty or longer than `capacity`, that is longer than the context of the model, or there
    /// is no room.
    pub fn start(&mut self, prompt: &[u32], capacity: usize) -> Result<SequenceId, LmError> {
        if prompt.is_empty() || prompt.len() > capacity || capacity > self.context {
            let (length, context) = (prompt.len(), self.context);
            let cause = format!(
                "expected 1 to {} tokens, and at most {context} with those that are generated, the context of the \
                 model; got {length}, and {capacity} with those",
                capacity.min(context)
            );
            return Err(LmError::Prompt { cause });
        }
        let (mut shared, mut nodes) = (Vec::new(), Vec::new());
        for page in prompt[..prompt.len() - 1].chunks_exact(PAGE) {
            let Some(found) = self.index.find(nodes.last().copied().unwrap_or(ROOT), page) else { break };
            shared.push(found.page);
            nodes.push(found.id);
        }
        let needed = capacity.div_ceil(PAGE) - shared.len();
        // Shared pages are taken first, so that they are not evicted for the others.
        shared.iter().for_each(|page| self.pool.share(*page));
        let Some((pages, evicted)) = self.pool.take(needed, shared.last().copied()) else {
            shared.iter().for_each(|page| self.pool.release(*page, true));
            return Err(LmError::CacheFull { needed: needed * PAGE, free: self.available() });
        };
        evicted.into_iter().for_each(|page| self.index.remove(page));
        let tokens = prompt[..shared.len() * PAGE].to_vec();
        self.last_id += 1;
        let id = SequenceId(self.last_id);
        shared.extend(pages);
        self.sequences.insert(id, Sequence { pages: shared, tokens, nodes, capacity });
        Ok(id)
    }

    /// Ends a sequence and releases its pages.
    pub fn finish(&mut self, sequence: SequenceId) {
        let Some(Sequence { pages, .. }) = self.sequences.remove(&sequence) else { return };
        // The last page first: a beginning is the last to be evicted.
        for page in pages.into_iter().rev() {
            self.pool.release(page, self.index.contains(page));
        }
    }

    /// Returns the number of tokens of a sequence whose keys and values are cached; 0 if there is no such
    /// sequence.
    pub fn len(&self, sequence: SequenceId) -> usize {
        self.sequences.get(&sequence).map_or(0, |sequence| sequence.tokens.len())
    }

    /// Returns whether there are no sequences.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Returns the number of positions that are not reserved.
    pub fn available(&self) -> usize {
        self.pool.available() * PAGE
    }

    /// Shortens a sequence to its first `len` tokens, so that others can follow them.
    ///
    /// # Errors
    /// There is no such sequence, it is shorter, or it shares the rest with another sequence.
    pub fn truncate(&mut self, sequence: SequenceId, len: usize) -> Result<(), LmError> {
        let Some(found) = self.sequences.get_mut(&sequence) else { return Err(no_sequence(sequence)) };
        if len > found.tokens.len() {
            return Err(LmError::argument("len", format!("at most {}", found.tokens.len()), len));
        }
        let rewritten = &found.pages[len / PAGE..found.tokens.len().div_ceil(PAGE)];
        if rewritten.iter().any(|page| self.pool.is_shared(*page)) {
            return Err(LmError::argument("len", "a length that ends in pages of this sequence alone", len));
        }
        // Pages that are written again no longer hold the tokens under which they are found.
        rewritten.iter().for_each(|page| self.index.remove(*page));
        found.nodes.truncate(len / PAGE);
        found.tokens.truncate(len);
        Ok(())
    }

    /// Plans a call that appends tokens to sequences.
    pub(crate) fn plan(&mut self, steps: &[(SequenceId, &[u32])]) -> Result<StepPlan<B>, LmError> {
        let mut segments: Vec<Segment<B>> = Vec::with_capacity(steps.len());
        let (mut row, mut written) = (0, Vec::new());
        for (id, tokens) in steps {
            let Some(sequence) = self.sequences.get(id) else { return Err(no_sequence(*id)) };
            let (start, end) = (sequence.tokens.len(), sequence.tokens.len() + tokens.len());
            if tokens.is_empty() || end > sequence.capacity {
                let expected = format!("1 to {} tokens", sequence.capacity - start);
                return Err(LmError::argument("tokens", expected, tokens.len()));
            }
            if segments.iter().any(|segment| segment.sequence == *id) {
                return Err(LmError::argument("steps", "every sequence once", id));
            }
            written.extend(sequence.runs(start..end));
            let window = self.window.map_or(0, |window| (start + 1).saturating_sub(window));
            segments.push(Segment {
                sequence: *id,
                rows: row..row + tokens.len(),
                start,
                global: self.visible(sequence, start..end, 0, None),
                window: self.visible(sequence, start..end, window, self.window),
            });
            row += tokens.len();
        }
        if segments.is_empty() {
            return Err(LmError::argument("steps", "at least one sequence", 0));
        }
        let positions = segments.iter().flat_map(|segment| segment.start..segment.start + segment.rows.len());
        let positions: Vec<usize> = positions.collect();
        let device = &self.device;
        let rotary = self
            .rotary
            .each_mut()
            .map(|table| table.as_mut().map(|table| table.rows(positions.iter().copied(), device)));
        Ok(StepPlan { segments, written: row_positions(&written, device), rotary })
    }

    fn visible(
        &self,
        sequence: &Sequence,
        queries: Range<usize>,
        first: usize,
        window: Option<usize>,
    ) -> Visible<B> {
        let runs = sequence.runs(first..queries.end);
        let hides = window.is_some_and(|window| queries.end - first > window);
        let one = queries.len() == 1;
        let causal = !one && queries.start == 0 && !hides;
        let several = runs.len() > 1 && !one && !causal && queries.len() <= FEW_QUERIES;
        let mut start = first;
        let mut blind_run = |run: &Run| {
            let keys = start..start + run.count;
            start = keys.end;
            several.then(|| blind_queries(queries.clone(), keys, window, &self.device)).flatten()
        };
        let blind = runs.iter().map(&mut blind_run).collect();
        let mask = (!one && !causal).then(|| hidden_keys(queries, first, window, &self.device));
        Visible { runs, blind, mask, causal }
    }

    /// Writes keys and values of all rows of a call, `[rows, key heads, d_head]`.
    pub(crate) fn write(&mut self, layer: usize, key: Tensor<B, 3>, value: Tensor<B, 3>, plan: &StepPlan<B>) {
        for (memory, x) in self.layers[layer].iter_mut().zip([key, value]) {
            let stored = memory.take().expect("a call puts back what it takes");
            let x = rounded(x.swap_dims(0, 1), &stored);
            *memory = Some(match &plan.written {
                RowPositions::From(start) => write::<B>(stored, *start, x),
                RowPositions::Listed(positions) => write_at::<B>(stored, positions, x),
            });
        }
    }

    /// Reads keys and values, without a copy.
    pub(crate) fn read(&self, layer: usize, visible: &Visible<B>) -> Vec<KeyRun<B>> {
        let memory = self.layers[layer].each_ref();
        let [keys, values] = memory.map(|memory| memory.as_ref().expect("a call puts back what it takes"));
        let runs = visible.runs.iter().zip(&visible.blind).map(|(run, blind)| {
            let part = |memory| view::<B>(memory, run.start, run.count);
            KeyRun { key: part(keys), value: part(values), blind: blind.clone() }
        });
        runs.collect()
    }

    /// Adds the tokens of a call that has written its keys and values.
    pub(crate) fn commit(&mut self, steps: &[(SequenceId, &[u32])]) {
        for (id, tokens) in steps {
            let Some(sequence) = self.sequences.get_mut(id) else { continue };
            let start = sequence.tokens.len();
            sequence.tokens.extend_from_slice(tokens);
            for page in start / PAGE..sequence.tokens.len() / PAGE {
                let tokens = &sequence.tokens[page * PAGE..(page + 1) * PAGE];
                let parent = sequence.nodes.last().copied().unwrap_or(ROOT);
                sequence.nodes.push(self.index.insert(parent, tokens, sequence.pages[page]).id);
            }
        }
    }
}

impl Sequence {
    /// Where positions are in the memory.
    fn runs(&self, positions: Range<usize>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut position = positions.start;
        while position < positions.end {
            let count = (PAGE - position % PAGE).min(positions.end - position);
            let start = self.pages[position / PAGE] * PAGE + position % PAGE;
            match runs.last_mut() {
                Some(run) if run.start + run.count == start => run.count += count,
                _ => runs.push(Run { start, count }),
            }
            position += count;
        }
        runs
    }
}

/// The positions of these runs, one run after the other.
fn row_positions<B: Backend>(runs: &[Run], device: &B::Device) -> RowPositions<B> {
    if let [Run { start, .. }] = runs {
        return RowPositions::From(*start);
    }
    let positions: Vec<i64> = runs
        .iter()
        .flat_map(|run| run.start..run.start + run.count)
        .map(|position| position as i64)
        .collect();
    let count = positions.len();
    let positions = Tensor::<B, 1, Int>::from_data(TensorData::new(positions, [count]), device);
    RowPositions::Listed(positions.into_handle())
}

/// The queries that attend to none of these keys, `[1, 1, queries]`; `None` if every query attends to some.
fn blind_queries<B: Backend>(
    queries: Range<usize>,
    keys: Range<usize>,
    window: Option<usize>,
    device: &B::Device,
) -> Option<Tensor<B, 3, Bool>> {
    let count = queries.len();
    let hides = |query| {
        keys.start > query || window.is_some_and(|window| query - (keys.end - 1).min(query) >= window)
    };
    let blind: Vec<bool> = queries.map(hides).collect();
    let any = blind.contains(&true);
    any.then(|| Tensor::from_data(TensorData::new(blind, [1, 1, count]), device))
}

fn no_sequence(id: SequenceId) -> LmError {
    LmError::argument("sequence", "a sequence of this cache", id)
}
