//! The state of an export: names, shapes and sizes of all values.

use crate::error::Outcome;
use crate::export::file::{DeclaredDim, ModelFile, value_info};
use crate::export::graph_writer::{self as write, GraphWriter};
use crate::export::sample::Sample;
use crate::export::size_expr::{Number, Polynomial, constant};
use crate::export::trace::Trace;
use crate::proto::AttributeProto;
use burn_capture::{Step, Value};
use burn_ir::{Creation, DType, Operation, Scalar, Shape};
use std::collections::HashMap;

/// A number where it is needed.
pub(super) enum Size {
    Known(i64),
    /// Name of a list of one integer.
    Computed(String),
}

pub(super) struct Lowering<'a> {
    pub trace: &'a Trace,
    pub writer: GraphWriter,
    /// Name of each value so far.
    pub names: Vec<String>,
    /// The step that makes each value; none makes an input.
    producers: Vec<Option<usize>>,
    uses: Vec<u32>,
    /// Source of the size of each dynamic dimension: an input and one of its dimensions.
    symbols: Vec<(String, usize)>,
    computed: HashMap<Polynomial, String>,
    pub step: usize,
}

impl<'a> Lowering<'a> {
    pub fn new(trace: &'a Trace, samples: &[Sample]) -> Self {
        let mut writer = GraphWriter::default();
        let names: Vec<String> = samples.iter().map(|sample| writer.name(&sample.name)).collect();
        let mut symbols = vec![(String::new(), 0); trace.table.names.len()];
        for sample in samples.iter().rev() {
            for (dim, symbol) in sample.symbols.iter().enumerate() {
                symbol.iter().for_each(|&symbol| symbols[symbol] = (sample.name.clone(), dim));
            }
        }
        // Names of outputs are theirs alone.
        trace.program.outputs().iter().for_each(|output| drop(writer.name(&output.name)));
        let mut producers = vec![None; names.len()];
        let mut uses = vec![0; trace.shapes.len()];
        for (place, step) in trace.program.steps().iter().enumerate() {
            producers.extend(trace.program.results(place).map(|_| Some(place)));
            step.visit(|value| uses[value.0 as usize] += 1);
        }
        trace.program.outputs().iter().for_each(|output| uses[output.value.0 as usize] += 1);
        Lowering { trace, writer, names, producers, uses, symbols, computed: HashMap::new(), step: 0 }
    }

    /// Returns the name of a value.
    pub fn name(&self, value: Value) -> String {
        self.names[value.0 as usize].clone()
    }

    pub fn dtype(&self, value: Value) -> DType {
        self.trace.program.spec(value).map_or(DType::F32, |spec| spec.dtype)
    }

    /// Returns the shape in the first recording.
    pub fn shape(&self, value: Value) -> &'a Shape {
        &self.trace.shapes[value.0 as usize][0]
    }

    /// Returns the shape in each recording.
    pub fn shapes(&self, value: Value) -> &'a [Shape] {
        &self.trace.shapes[value.0 as usize]
    }

    pub fn rank(&self, value: Value) -> usize {
        self.shape(value).rank()
    }

    /// Returns the size of a dimension in each recording.
    pub fn dim(&self, value: Value, dim: usize) -> Number {
        self.shapes(value).iter().map(|shape| shape[dim] as i64).collect()
    }

    /// Returns the size of a dimension, if it is the same in each recording.
    pub fn fixed_dim(&self, value: Value, dim: usize) -> Option<usize> {
        constant(&self.dim(value, dim)).map(|size| size as usize)
    }

    /// Returns the size of a dimension that must be fixed for the operation to be exported.
    pub fn need_fixed_dim(&self, value: Value, dim: usize) -> Outcome<usize> {
        self.fixed_dim(value, dim).ok_or_else(|| {
            format!("dimension {dim} of {:?} is dynamic, but has to be fixed here", self.shape(value)).into()
        })
    }

    /// Returns whether the value is used.
    pub fn is_used(&self, value: Value) -> bool {
        self.uses[value.0 as usize] > 0
    }

    /// Returns the numbers of the step that may depend on sizes.
    pub fn numbers(&self) -> &'a [Number] {
        &self.trace.numbers[self.step]
    }

    /// Returns the operation that computes a value, and the index of its step.
    pub fn producer(&self, value: Value) -> Option<(&'a Operation<Value>, usize)> {
        let place = (*self.producers.get(value.0 as usize)?)?;
        match &self.trace.program.steps()[place] {
            Step::Call(operation) => Some((operation, place)),
            Step::Create(_) | Step::ArgWhere { .. } => None,
        }
    }

    /// Returns the elements of a value that is a constant of the program.
    pub fn constant(&self, value: Value) -> Option<Vec<f64>> {
        let place = (*self.producers.get(value.0 as usize)?)?;
        match &self.trace.program.steps()[place] {
            Step::Create(Creation::Data(data)) => Some(data.to_f64()),
            Step::Create(_) | Step::Call(_) | Step::ArgWhere { .. } => None,
        }
    }

    // Nodes.

    /// Writes a node without attributes.
    pub fn op<const N: usize>(&mut self, operator: &str, inputs: [&str; N]) -> String {
        self.writer.node(operator, &inputs, Vec::new())
    }

    /// Writes a node with attributes.
    pub fn op_with(&mut self, operator: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        self.writer.node(operator, inputs, attributes)
    }

    /// Adds a number of an element type.
    pub fn number(&mut self, value: f64, dtype: DType) -> String {
        self.writer.scalar(Scalar::Float(value), dtype)
    }

    pub fn cast(&mut self, name: &str, dtype: DType) -> String {
        let to = write::int("to", crate::export::file::data_type(dtype).into());
        self.writer.node("Cast", &[name], vec![to])
    }

    /// Casts unless the element types are the same.
    pub fn cast_from(&mut self, name: String, from: DType, to: DType) -> String {
        if from == to { name } else { self.cast(&name, to) }
    }

    pub fn transpose(&mut self, name: &str, axes: impl IntoIterator<Item = usize>) -> String {
        self.writer.node("Transpose", &[name], vec![write::ints("perm", axes)])
    }

    /// Adds a reshape to a shape, which may have one size of -1.
    pub fn reshape(&mut self, name: &str, shape: &[i64]) -> String {
        let shape = self.writer.ints(shape);
        self.op("Reshape", [name, &shape])
    }

    // Sizes.

    /// Returns a number, computed from the sizes of the inputs or of operands of the step if it is not the
    /// same in each recording.
    pub fn size(&mut self, number: &[i64], operands: &[Value]) -> Outcome<Size> {
        if let Some(value) = constant(number) {
            return Ok(Size::Known(value));
        }
        if let Some(polynomial) = self.trace.table.fit(number) {
            return Ok(Size::Computed(self.polynomial(&polynomial)));
        }
        for &operand in operands {
            let rank = self.rank(operand);
            for (start, end) in (0..rank).flat_map(|start| (start + 1..=rank).map(move |end| (start, end))) {
                let product = |shape: &Shape| shape[start..end].iter().product::<usize>() as i64;
                if self.shapes(operand).iter().map(product).eq(number.iter().copied()) {
                    return Ok(Size::Computed(self.dims_product(operand, start, end)));
                }
            }
        }
        let names = self.trace.table.names.join("`, `");
        Err(format!(
            "the number {} depends on the size of `{names}` in a way that is neither a sum of products of sizes nor the \
             size of an operand: {number:?} in the recordings",
            number[0]
        )
        .into())
    }

    /// Adds a list of one integer.
    pub fn size_value(&mut self, number: &[i64], operands: &[Value]) -> Outcome<String> {
        Ok(match self.size(number, operands)? {
            Size::Known(value) => self.writer.ints(&[value]),
            Size::Computed(name) => name,
        })
    }

    /// Adds a list of integers.
    pub fn sizes_value(&mut self, numbers: &[Number], operands: &[Value]) -> Outcome<String> {
        let sizes: Outcome<Vec<Size>> = numbers.iter().map(|number| self.size(number, operands)).collect();
        Ok(self.list(sizes?))
    }

    /// Joins parts to a list of integers.
    pub fn list(&mut self, sizes: Vec<Size>) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut known: Vec<i64> = Vec::new();
        for size in sizes {
            match size {
                Size::Known(value) => known.push(value),
                Size::Computed(name) => {
                    if !known.is_empty() {
                        parts.push(self.writer.ints(&std::mem::take(&mut known)));
                    }
                    parts.push(name);
                }
            }
        }
        if !known.is_empty() || parts.is_empty() {
            parts.push(self.writer.ints(&known));
        }
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let parts: Vec<&str> = parts.iter().map(|part| &part[..]).collect();
        self.op_with("Concat", &parts, vec![write::int("axis", 0)])
    }

    fn polynomial(&mut self, polynomial: &Polynomial) -> String {
        if let Some(name) = self.computed.get(polynomial) {
            return name.clone();
        }
        let mut sum: Option<String> = None;
        // Terms with sizes first: a constant is added to them.
        for &(coefficient, set) in polynomial.0.iter().rev() {
            let mut factors: Vec<String> = (0..self.symbols.len())
                .filter(|bit| set >> bit & 1 == 1)
                .map(|bit| self.symbol(bit))
                .collect();
            if coefficient != 1 || factors.is_empty() {
                factors.push(self.writer.ints(&[coefficient]));
            }
            let mut factors = factors.into_iter();
            let mut term = factors.next().unwrap_or_default();
            for factor in factors {
                term = self.op("Mul", [&term, &factor]);
            }
            sum = Some(match sum {
                Some(sum) => self.op("Add", [&sum, &term]),
                None => term,
            });
        }
        let name = sum.unwrap_or_else(|| self.writer.ints(&[0]));
        self.computed.insert(polynomial.clone(), name.clone());
        name
    }

    /// The size of a dynamic dimension.
    fn symbol(&mut self, symbol: usize) -> String {
        let key = Polynomial(vec![(1, 1 << symbol)]);
        if let Some(name) = self.computed.get(&key) {
            return name.clone();
        }
        let (input, dim) = self.symbols[symbol].clone();
        let name = self.shape_part(&input, dim, dim + 1);
        self.computed.insert(key, name.clone());
        name
    }

    /// Sizes of some dimensions, as a list.
    fn shape_part(&mut self, name: &str, start: usize, end: usize) -> String {
        let range = vec![write::int("start", start as i64), write::int("end", end as i64)];
        self.op_with("Shape", &[name], range)
    }

    fn dims_product(&mut self, value: Value, start: usize, end: usize) -> String {
        let name = self.name(value);
        let dims = self.shape_part(&name, start, end);
        if end == start + 1 {
            return dims;
        }
        self.op_with("ReduceProd", &[&dims], vec![write::int("keepdims", 1)])
    }

    /// Returns the result shape of the step as a list.
    pub fn shape_value(&mut self, value: Value, operands: &[Value]) -> Outcome<String> {
        let numbers: Vec<Number> = (0..self.rank(value)).map(|dim| self.dim(value, dim)).collect();
        self.sizes_value(&numbers, operands)
    }

    fn declared(&self, value: Value) -> Vec<DeclaredDim> {
        let dims = (0..self.rank(value)).map(|dim| {
            let number = self.dim(value, dim);
            match (constant(&number), self.trace.table.fit(&number)) {
                (Some(size), _) => DeclaredDim::Size(size as usize),
                (None, Some(Polynomial(terms))) => match terms[..] {
                    [(1, set)] if set.is_power_of_two() => {
                        DeclaredDim::Named(self.trace.table.names[set.trailing_zeros() as usize].clone())
                    }
                    _ => DeclaredDim::Open,
                },
                (None, None) => DeclaredDim::Open,
            }
        });
        dims.collect()
    }

    pub fn finish(mut self, samples: &[Sample], graph_name: &str) -> ModelFile {
        let inputs = samples.iter().enumerate().map(|(at, sample)| {
            let value = Value(at as u32);
            value_info(&sample.name, self.dtype(value), self.declared(value))
        });
        let inputs = inputs.collect();
        let mut outputs = Vec::new();
        for output in self.trace.program.outputs() {
            let (from, dims) = (self.name(output.value), self.declared(output.value));
            // An input, a constant, or a value that is an output already keeps its name.
            if self.writer.is_computed(&from)
                && !self.trace.program.outputs().iter().any(|other| other.name == from)
            {
                self.writer.rename(&from, &output.name);
                self.names
                    .iter_mut()
                    .filter(|name| **name == from)
                    .for_each(|name| *name = output.name.clone());
            } else {
                self.writer.node("Identity", &[&from], Vec::new());
                if let Some(node) = self.writer.nodes.last_mut() {
                    node.output = vec![output.name.clone()];
                }
            }
            outputs.push(value_info(&output.name, self.dtype(output.value), dims));
        }
        let names: Vec<String> = outputs.iter().map(|output| output.name.clone()).collect();
        self.writer.prune(&names);
        let GraphWriter { nodes, initializers, .. } = self.writer;
        ModelFile { graph_name: graph_name.into(), nodes, initializers, inputs, outputs }
    }
}
