use super::call::{index_limit, random_call, values};
use super::{Random, View};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{
    Backend, Elementwise, Layout, Operation, Shape, Slice, Slices, TensorData, TensorSpec, output_specs,
};

/// Elements of a value; larger ones test nothing more.
const MOST_ELEMENTS: usize = 2048;

/// Random calls on each other's results: values are used again, by several calls, or by none.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The first values.
    pub leaves: Vec<TensorData>,
    /// Calls on numbered values; their results are the values after the leaves, in order.
    pub calls: Vec<Operation<usize>>,
    /// Values that are read at the end; every other one may be dropped.
    pub outputs: Vec<usize>,
}

impl Graph {
    /// A graph of about so many calls.
    pub fn random(random: &mut Random, calls: usize) -> Self {
        let mut growing = Growing { random, values: Vec::new(), calls: Vec::new() };
        while growing.calls.len() < calls {
            let call = random_call(growing.random);
            growing.add(&call);
        }
        growing.finish()
    }

    /// The leaves on a device.
    pub fn upload(&self, device: &DynamicDevice) -> Vec<DynamicTensor> {
        self.leaves.iter().map(|leaf| Dynamic::from_data(leaf.clone(), device)).collect()
    }

    /// The leaves as views, with elements that are repeated where a view repeats them: the graph and what it
    /// starts from.
    pub fn laid_out(mut self, random: &mut Random, device: &DynamicDevice) -> (Self, Vec<DynamicTensor>) {
        let views: Vec<View> = self.leaves.iter().map(|leaf| View::random(random, &leaf.shape)).collect();
        self.leaves = self.leaves.iter().zip(&views).map(|(leaf, view)| view.repeat(leaf)).collect();
        let leaves = self.leaves.iter().zip(&views).map(|(leaf, view)| view.upload(leaf, device)).collect();
        (self, leaves)
    }

    /// The outputs; what is used for the last time is given away.
    pub fn run(&self, leaves: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        // A call has at most three results.
        let mut uses = vec![0_usize; leaves.len() + 3 * self.calls.len()];
        self.calls.iter().for_each(|call| call.visit(|&value| uses[value] += 1));
        self.outputs.iter().for_each(|&value| uses[value] += 1);
        let mut values: Vec<Option<DynamicTensor>> = leaves.into_iter().map(Some).collect();
        let mut take = |values: &mut Vec<Option<DynamicTensor>>, value: usize| {
            uses[value] -= 1;
            let tensor = if uses[value] == 0 { values[value].take() } else { values[value].clone() };
            tensor.expect("a value stays until its last use")
        };
        for call in &self.calls {
            let op = call.map_ref(|&value| take(&mut values, value));
            Dynamic::execute(op).map(|result| values.push(Some(result)));
        }
        self.outputs.iter().map(|&value| take(&mut values, value)).collect()
    }
}

struct Growing<'a> {
    random: &'a mut Random,
    values: Vec<GraphValue>,
    /// With the numbers of operands among `values`.
    calls: Vec<Operation<usize>>,
}

struct GraphValue {
    spec: TensorSpec,
    /// Data of a leaf.
    data: Option<TensorData>,
}

impl Growing<'_> {
    /// Adds a call like this one, if it can be made.
    fn add(&mut self, call: &Operation<TensorSpec>) {
        let Ok(results) = output_specs(call) else { return };
        let mut fits = true;
        let mut look = |spec: &TensorSpec| {
            // Also of what is empty in another dimension.
            fits &= spec.shape.iter().all(|&size| size <= MOST_ELEMENTS);
            fits &= spec.shape.checked_num_elements().is_some_and(|count| count <= MOST_ELEMENTS);
        };
        results.visit(&mut look);
        call.visit(&mut look);
        let limit = index_limit(call);
        if !fits || limit == Some(0) {
            return;
        }
        let mut position = 0;
        let op = call.map_ref(|spec| {
            let limit = limit.filter(|_| position == 1);
            position += 1;
            match limit {
                // Indices are not computed: they have to be in range.
                Some(_) => self.leaf(spec, limit),
                None => self.operand(spec),
            }
        });
        self.push(op);
    }

    /// The value that the call makes, or the first of two.
    fn push(&mut self, op: Operation<usize>) -> usize {
        let first = self.values.len();
        let specs = output_specs(&op.map_ref(|&value| &self.values[value].spec));
        let specs = specs.expect("operands have the specs that were asked for");
        specs.map(|spec| self.values.push(GraphValue { spec, data: None }));
        self.calls.push(op);
        first
    }

    fn leaf(&mut self, spec: &TensorSpec, limit: Option<usize>) -> usize {
        self.values.push(GraphValue { spec: spec.clone(), data: Some(values(spec, limit)) });
        self.values.len() - 1
    }

    /// A value of this spec: one that is there, one that is there in another form, or a new one.
    fn operand(&mut self, spec: &TensorSpec) -> usize {
        let same: Vec<usize> =
            (0..self.values.len()).filter(|&value| self.values[value].spec == *spec).collect();
        if !same.is_empty() && self.random.chance(80) {
            return self.random.pick(&same);
        }
        let full = |value: &usize| self.values[*value].spec.shape.num_elements() > 0;
        let full: Vec<usize> = (0..self.values.len()).filter(full).collect();
        if full.is_empty() || self.random.chance(25) {
            return self.leaf(spec, None);
        }
        let from = self.random.pick(&full);
        self.formed(from, spec)
    }

    /// The elements of a value in this spec: cast, repeated or cut off.
    fn formed(&mut self, from: usize, spec: &TensorSpec) -> usize {
        let (count, wanted) = (self.values[from].spec.shape.num_elements(), spec.shape.num_elements());
        let mut x = self.push(Operation::Layout(Layout::Reshape { x: from, shape: Shape::from([count]) }));
        if count < wanted {
            x = self.push(Operation::Layout(Layout::RepeatDim { x, dim: 0, times: wanted.div_ceil(count) }));
        }
        if self.values[x].spec.shape.num_elements() > wanted {
            let slices: Slices = [Slice { start: 0, end: wanted, step: 1 }].into_iter().collect();
            x = self.push(Operation::Layout(Layout::Slice { x, slices }));
        }
        if self.values[x].spec.dtype != spec.dtype {
            x = self.push(Operation::Elementwise(Elementwise::Cast { x, dtype: spec.dtype }));
        }
        if self.values[x].spec.shape == spec.shape {
            return x;
        }
        self.push(Operation::Layout(Layout::Reshape { x, shape: spec.shape.clone() }))
    }

    /// The graph, with leaves first and some values to read.
    fn finish(self) -> Graph {
        let Growing { random, values, calls } = self;
        let leaves: Vec<usize> = (0..values.len()).filter(|&value| values[value].data.is_some()).collect();
        let results = (0..values.len()).filter(|&value| values[value].data.is_none());
        let mut places = vec![0; values.len()];
        leaves.iter().copied().chain(results).enumerate().for_each(|(place, value)| places[value] = place);
        let calls: Vec<Operation<usize>> =
            calls.into_iter().map(|call| call.map(|value| places[value])).collect();
        let mut used = vec![false; values.len()];
        calls.iter().for_each(|call| call.visit(|&value| used[value] = true));
        let mut outputs = Vec::new();
        for (value, &used) in used.iter().enumerate().skip(leaves.len()) {
            if random.chance(if used { 15 } else { 75 }) {
                outputs.push(value);
            }
        }
        if outputs.is_empty() {
            outputs.push(values.len() - 1);
        }
        let leaves = values.into_iter().filter_map(|value| value.data).collect();
        Graph { leaves, calls, outputs }
    }
}
