//! Builder of blocks: which calls belong together, and the block that a backend runs.

use crate::block_part::{BlockPart, block_part};
use crate::mode::Mode;
use crate::rows::BackendRows;
use crate::slot::Slot;
use crate::step::{Inner, QueuedStep, QueuedWork};
use crate::{log, report, traffic};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::kernel_error::{self, KernelError};
use burn_backend::{
    Block, BlockHead, BlockRows, BlockStep, HasSpec, Operation, Outputs, Register, RowProducts, Shape,
    TensorSpec,
};
use std::any::Any;
use std::io::Write;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, Weak};

/// Builder of a block: calls that can run in a single pass.
pub struct Growing {
    inner: Inner,
    members: Vec<Member>,
    shape: Shape,
    /// Number of trailing dimensions that are reduced, as in [`Block`].
    folded: usize,
    /// Members that compute something.
    computing: usize,
}

struct Member {
    op: Operation<Arc<Slot>>,
    class: BlockPart,
    at: &'static Location<'static>,
    output: Weak<Slot>,
    spec: TensorSpec,
}

impl From<Member> for QueuedStep {
    fn from(Member { op, at, output, .. }: Member) -> Self {
        QueuedStep { work: QueuedWork::Call(op, at), outputs: Outputs::One(output) }
    }
}

/// Shape and number of folded dimensions of a block after an operation joins it.
struct Joined {
    shape: Shape,
    folded: usize,
}

impl Growing {
    /// Creates an empty block for this backend.
    pub fn of(inner: Inner) -> Self {
        Growing { inner, members: Vec::new(), shape: Shape::default(), folded: 0, computing: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes the call in, or gives it back.
    pub fn join(&mut self, step: QueuedStep) -> Result<(), QueuedStep> {
        let QueuedStep { work: QueuedWork::Call(op, at), outputs: Outputs::One(output) } = step else {
            return Err(step);
        };
        let class = block_part(&op, self.inner);
        let joined = output.upgrade().and_then(|slot| {
            let spec = slot.spec().clone();
            self.admit(class, &op, &spec).map(|joined| (joined, spec))
        });
        let Some((Joined { shape, folded }, spec)) = joined else {
            return Err(QueuedStep { work: QueuedWork::Call(op, at), outputs: Outputs::One(output) });
        };
        (self.shape, self.folded) = (shape, folded);
        self.computing += usize::from(class != BlockPart::Repeat);
        // Heads come first: they read nothing of the block.
        let place = if class == BlockPart::Head { self.heads().count() } else { self.members.len() };
        self.members.insert(place, Member { op, class, at, output, spec });
        Ok(())
    }

    fn admit(&self, class: BlockPart, op: &Operation<Arc<Slot>>, spec: &TensorSpec) -> Option<Joined> {
        let rank = spec.shape.rank();
        if class == BlockPart::Alone || spec.shape.num_elements() == 0 {
            return None;
        }
        if class == BlockPart::Head {
            let joins = self.members.is_empty() || self.joins_product(op, spec);
            return joins.then(|| Joined { shape: spec.shape.clone(), folded: 0 });
        }
        if op.any(|x| x.spec().shape.rank() != rank) {
            return None;
        }
        let all = if let BlockPart::Fold(_) = class { &op.first().spec().shape } else { &spec.shape };
        if self.members.is_empty() {
            let folded = if let BlockPart::Fold(count) = class { count } else { 0 };
            return Some(Joined { shape: all.clone(), folded });
        }
        let kept = |folded| Some(Joined { shape: self.shape.clone(), folded });
        match class {
            BlockPart::Fold(_) if self.heads().count() > 1 || self.leaves_rows() => None,
            BlockPart::Fold(count) if *all == self.shape && (self.folded == 0 || self.folded == count) => {
                kept(count)
            }
            BlockPart::Elementwise | BlockPart::Repeat if *all == self.shape => kept(self.folded),
            BlockPart::Elementwise if self.folded > 0 && *all == self.rows() => kept(self.folded),
            BlockPart::Fold(_)
            | BlockPart::Elementwise
            | BlockPart::Repeat
            | BlockPart::Head
            | BlockPart::Alone => None,
        }
    }

    fn heads(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().take_while(|member| member.class == BlockPart::Head)
    }

    /// Returns whether the head of the block is a product of the same left operand, and the backend computes
    /// both at once.
    fn joins_product(&self, op: &Operation<Arc<Slot>>, spec: &TensorSpec) -> bool {
        let mut heads = self.heads();
        let (Some(first), None, Some((lhs, rhs))) = (heads.next(), heads.next(), op.as_matmul()) else {
            return false;
        };
        let is_shared = first.op.as_matmul().is_some_and(|(other, _)| Arc::ptr_eq(lhs, other));
        is_shared
            && lhs.is_ready()
            && rhs.is_ready()
            && self.folded == 0
            && first.spec == *spec
            && self.inner.has_products(lhs.spec())
    }

    /// Returns whether the block begins with a product whose rows later products may compute with what folds
    /// them: they do not join this block.
    fn leaves_rows(&self) -> bool {
        self.heads().next().is_some_and(|head| self.inner.takes_rows(&head.spec))
    }

    /// Returns the shape of values with one element per row.
    fn rows(&self) -> Shape {
        let mut shape = self.shape.clone();
        let kept = shape.rank() - self.folded;
        shape[kept..].fill(1);
        shape
    }

    /// Runs the block before a call that does not join it, and leaves an empty one. Returns the last calls of
    /// the block that are better computed with that call: those that only the rows of a fold need.
    pub fn run_before(&mut self, step: &QueuedStep) -> Vec<QueuedStep> {
        let mut left = Vec::new();
        if let QueuedWork::Call(op, _) = &step.work
            && let BlockPart::Fold(_) = block_part(op, self.inner)
            && self.leaves_rows()
        {
            left = self.members.split_off(self.end_before_rows());
        }
        self.computing = self.members.iter().filter(|member| member.class != BlockPart::Repeat).count();
        self.run();
        left.into_iter().map(QueuedStep::from).collect()
    }

    /// Returns the number of members after which the fewest values are read outside, and no head comes.
    fn end_before_rows(&self) -> usize {
        let read_outside = |end: usize| {
            let members = &self.members[..end];
            let is_read = |member: &&Member| {
                let Some(slot) = member.output.upgrade() else { return false };
                let mut inside = 0;
                for other in members {
                    other.op.visit(|x| inside += usize::from(Arc::ptr_eq(x, &slot)));
                }
                // One handle is that of this function.
                Arc::strong_count(&slot) > inside + 1
            };
            members.iter().filter(is_read).count()
        };
        let ends = (self.heads().count()..=self.members.len()).rev();
        ends.min_by_key(|&end| read_outside(end)).expect("a block ends")
    }

    /// Runs the block and leaves an empty one.
    pub fn run(&mut self) {
        let next = Growing::of(self.inner);
        let Growing { inner, members, shape, folded, computing } = std::mem::replace(self, next);
        if computing < 2 {
            return members.into_iter().for_each(|member| run_step(member.into(), inner));
        }
        // Registers: inputs in the order they are met, then one per member. What is not ready is from this
        // block.
        let inputs = inputs_of(&members);
        let number = |k: usize| Register::try_from(k).expect("a block is shorter than the queue");
        for (k, member) in members.iter().enumerate() {
            member.output.upgrade().iter().for_each(|slot| slot.set_register(number(k + inputs.len())));
        }
        let register = |x: Arc<Slot>| match inputs.iter().position(|input| Arc::ptr_eq(input, &x)) {
            Some(k) => number(k),
            None => x.register(),
        };
        let rows = rows_of(&members);
        let Program { head, steps, specs, repeats, results } = Program::of(members, rows, register);
        // The block has dropped its operands: results that are still alive are used outside of it.
        let (mut outputs, mut wanted) = (Vec::new(), Vec::new());
        for (k, slot) in results.iter().enumerate() {
            if let Some(slot) = slot.upgrade() {
                outputs.push(number(k + inputs.len()));
                wanted.push(slot);
            }
        }
        let inputs = inputs.into_iter().map(Slot::take).collect();
        let block = Block { shape, folded, head, inputs, steps, specs, outputs };
        let saved = traffic::saved(&block, &repeats);
        report::count_block(computing, saved);
        if Mode::current() == Mode::Log {
            // A closed standard error is no failure of the program.
            let _ = write!(std::io::stderr(), "{}", log::Listing(&block, saved));
        }
        let block = match (&wanted[..], block.into_rows()) {
            ([slot], Ok(rows)) if inner.takes_rows(slot.spec()) => {
                return slot.fill_with_rows(Box::new(BackendRows::new(inner, rows)));
            }
            (_, Ok(rows)) => rows.into(),
            (_, Err(block)) => block,
        };
        let values = inner.run_block(block);
        wanted.iter().zip(values).for_each(|(slot, value)| slot.fill(value));
    }
}

/// Takes the rows that the products at the head of a block read and nothing else does, if they are not
/// computed yet.
fn rows_of(members: &[Member]) -> Option<BlockRows<DynamicTensor>> {
    let heads = members.iter().take_while(|member| member.class == BlockPart::Head).count();
    let (lhs, _) = members.first().filter(|_| heads > 0)?.op.as_matmul()?;
    lhs.take_rows(heads)
}

/// Operands of a block from outside of it, in the order they are met. Those of a head are no inputs.
#[inline]
fn inputs_of(members: &[Member]) -> Vec<Arc<Slot>> {
    let mut inputs: Vec<Arc<Slot>> = Vec::new();
    for member in members.iter().filter(|member| member.class != BlockPart::Head) {
        member.op.visit(|x| {
            if x.is_ready() && !inputs.iter().any(|input| Arc::ptr_eq(input, x)) {
                inputs.push(x.clone());
            }
        });
    }
    inputs
}

/// Steps of a block, on registers.
struct Program {
    head: Option<BlockHead<DynamicTensor>>,
    steps: Vec<BlockStep<Register>>,
    specs: Vec<TensorSpec>,
    /// Which steps only repeat elements.
    repeats: Vec<bool>,
    /// Result of each member.
    results: Vec<Weak<Slot>>,
}

impl Program {
    #[inline]
    fn of(
        members: Vec<Member>,
        rows: Option<BlockRows<DynamicTensor>>,
        register: impl Fn(Arc<Slot>) -> Register,
    ) -> Self {
        let count = members.len();
        let (mut heads, mut steps) = (Vec::new(), Vec::with_capacity(count));
        let (mut specs, mut repeats) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut results = Vec::with_capacity(count);
        for Member { op, output, spec, class, .. } in members {
            results.push(output);
            match BlockHead::try_from(op) {
                Ok(op) => heads.push(op),
                Err(op) => {
                    let step = BlockStep::try_from(op.map(&register));
                    steps.push(step.unwrap_or_else(|op| unreachable!("{} joined a block", op.name())));
                    specs.push(spec);
                    repeats.push(class == BlockPart::Repeat);
                }
            }
        }
        Program { head: head_of(heads, rows), steps, specs, repeats, results }
    }
}

/// The operations at the head of a block as one. The left operand of products may be rows.
fn head_of(
    heads: Vec<BlockHead<Arc<Slot>>>,
    rows: Option<BlockRows<DynamicTensor>>,
) -> Option<BlockHead<DynamicTensor>> {
    let Some(rows) = rows else {
        return heads.into_iter().map(|head| head.map(Slot::take)).reduce(BlockHead::with_product);
    };
    let rhs = |head: BlockHead<Arc<Slot>>| head.into_rhs().expect("products read rows").take();
    let rhs = heads.into_iter().map(rhs).collect();
    Some(BlockHead::RowProducts(Box::new(RowProducts { rows, rhs })))
}

/// Runs one call by itself. Its operands are ready.
///
/// # Panics
/// With the message of the backend, and where the program made the call.
pub fn run_step(step: QueuedStep, inner: Inner) {
    report::count_alone();
    let results = match step.work {
        QueuedWork::Call(op, at) => {
            let name = op.name();
            let call = AssertUnwindSafe(|| execute(op, inner));
            catch_unwind(call).unwrap_or_else(|panic| {
                if let Some(error) = panic.downcast_ref::<KernelError>() {
                    kernel_error::raise(format!("{error} (`{name}`, called at {at})"));
                }
                match message(&*panic) {
                    Some(message) => panic!("{message} (`{name}`, called at {at})"),
                    None => resume_unwind(panic),
                }
            })
        }
        QueuedWork::Custom(inputs, run) => run(inputs.into_iter().map(Slot::take).collect()),
    };
    step.outputs.zip(results, |output, value| {
        if let Some(slot) = output.upgrade() {
            slot.fill(value);
        }
    });
}

fn execute(op: Operation<Arc<Slot>>, inner: Inner) -> Outputs<DynamicTensor> {
    if let Some((lhs, rhs)) = op.as_matmul()
        && let Some(rhs) = rhs.value()
        && let Some(mut products) = lhs.products_of_rows(std::slice::from_ref(rhs))
    {
        return Outputs::One(products.remove(0));
    }
    inner.execute(op.map(Slot::take))
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
}
