//! Insertion of a recorded run into a tape.

use super::notes::{MOST_STEPS, Noted, Path};
use super::replay::{End, Segment, Taken, Tape, TapeSource, TapeStep};
use burn_backend::{Operation, TensorData};

/// The most values of a tensor that decide between segments. Where there are more, the elements are no
/// condition: runs follow the statements.
const MOST_VALUES: usize = 16;

/// Position in a tape, and where the tensors of the path so far are.
struct Cursor<'a> {
    tape: &'a mut Tape,
    sources: Vec<TapeSource>,
    segment: usize,
    /// Steps of the segment, and what it made, that the path has passed.
    step: usize,
    made: usize,
    /// Whether the segment is new: the steps of the path are added to it.
    is_new: bool,
}

impl Tape {
    /// Adds a run. None if it differs from earlier runs in another way than by what it reads, or the tape
    /// gets too long: runs with such inputs cannot be repeated.
    pub(super) fn insert(&mut self, path: Path) -> Option<()> {
        let is_new = self.segments.is_empty();
        if is_new {
            self.slots = path.given;
            self.segments.push(Segment::new());
        }
        let sources = (0..path.given).map(TapeSource::Slot).collect();
        let mut cursor = Cursor { tape: self, sources, segment: 0, step: 0, made: 0, is_new };
        for noted in path.steps {
            cursor.pass(noted)?;
        }
        cursor.finish(&path.outputs)?;
        self.steps = self.segments.iter().map(|segment| segment.steps.len()).sum();
        if self.steps > MOST_STEPS {
            return None;
        }
        self.mark_last_uses();
        self.join_steps();
        Some(())
    }
}

impl Segment {
    fn new() -> Self {
        Segment { steps: Vec::new(), made: Vec::new(), joined: Vec::new(), end: End::Outputs(Vec::new()) }
    }
}

impl Cursor<'_> {
    fn segment(&mut self) -> &mut Segment {
        &mut self.tape.segments[self.segment]
    }

    fn taken(&self, number: usize) -> Taken {
        Taken { source: self.sources[number], is_last: false }
    }

    fn pass(&mut self, noted: Noted) -> Option<()> {
        match noted {
            Noted::Constant(tensor) => {
                let place = self.tape.constants.len();
                let source = self.make(TapeSource::Constant(place))?;
                if self.is_new {
                    self.tape.constants.push(tensor);
                }
                matches!(source, TapeSource::Constant(_)).then_some(())
            }
            Noted::Call(call, specs) => {
                let count = specs.len();
                let operation = call.map(|number| self.taken(number));
                if self.is_new {
                    let results: Vec<usize> = (0..count).map(|result| self.tape.slots + result).collect();
                    self.tape.slots += count;
                    for &slot in &results {
                        self.make(TapeSource::Slot(slot))?;
                    }
                    let is_taken = vec![true; count];
                    self.segment().steps.push(TapeStep::Call { operation, results, specs, is_taken });
                    return Some(());
                }
                let TapeStep::Call { operation: earlier, results, .. } = self.earlier()? else { return None };
                let is_same = is_same(earlier, &operation) && results.len() == count;
                (0..count).try_for_each(|_| self.make(TapeSource::Slot(0)).map(drop))?;
                is_same.then_some(())
            }
            Noted::Create(creation) => {
                let result = self.tape.slots;
                if self.is_new {
                    self.tape.slots += 1;
                    self.segment().steps.push(TapeStep::Create { creation, result });
                } else {
                    let TapeStep::Create { creation: earlier, .. } = self.earlier()? else { return None };
                    (*earlier == creation).then_some(())?;
                }
                self.make(TapeSource::Slot(result)).map(drop)
            }
            Noted::Check { indices, size } => {
                let indices = self.sources[indices];
                if self.is_new {
                    self.segment().steps.push(TapeStep::Check { indices, size });
                    return Some(());
                }
                let TapeStep::Check { indices: earlier, size: below } = self.earlier()? else { return None };
                (*earlier == indices && *below == size).then_some(())
            }
            Noted::Read { tensor, data } => self.read(tensor, data),
        }
    }

    /// Adds what the path makes to its sources: what the segment made here, or in a new segment `source`.
    fn make(&mut self, source: TapeSource) -> Option<TapeSource> {
        if self.is_new {
            self.segment().made.push(source);
        }
        let place = self.made;
        self.made += 1;
        let source = *self.segment().made.get(place)?;
        self.sources.push(source);
        Some(source)
    }

    /// The step of an earlier run at this position.
    fn earlier(&mut self) -> Option<&TapeStep> {
        let step = self.step;
        self.step += 1;
        self.segment().steps.get(step)
    }

    /// Goes on in the segment that follows these elements, which may be new.
    fn read(&mut self, tensor: usize, data: TensorData) -> Option<()> {
        let (tensor, following) = (self.taken(tensor), self.tape.segments.len());
        let (is_new, step) = (self.is_new, self.step);
        let segment = self.segment();
        if is_new {
            segment.end = End::Read { tensor, next: Vec::new() };
        } else if step != segment.steps.len() {
            return None;
        }
        let End::Read { tensor: earlier, next } = &mut segment.end else { return None };
        if earlier.source != tensor.source {
            return None;
        }
        let found = next.iter().find(|(other, _)| *other == data).map(|(_, segment)| *segment);
        let place = match found {
            Some(place) => place,
            None if next.len() == MOST_VALUES => return None,
            None => {
                next.push((data, following));
                self.tape.segments.push(Segment::new());
                following
            }
        };
        (self.is_new, self.segment, self.step, self.made) = (found.is_none(), place, 0, 0);
        Some(())
    }

    fn finish(&mut self, outputs: &[usize]) -> Option<()> {
        let outputs: Vec<TapeSource> = outputs.iter().map(|&output| self.sources[output]).collect();
        let is_new = self.is_new;
        let segment = self.segment();
        if is_new {
            segment.end = End::Outputs(outputs);
            return Some(());
        }
        matches!(&segment.end, End::Outputs(earlier) if *earlier == outputs).then_some(())
    }
}

/// Whether two calls are the same, of the same tensors.
fn is_same(earlier: &Operation<Taken>, call: &Operation<Taken>) -> bool {
    let sources = |operation: &Operation<Taken>| operation.map_ref(|taken| taken.source);
    sources(earlier) == sources(call)
}
