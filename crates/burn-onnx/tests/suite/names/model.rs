//! A model in which every field for a name or a text has one that a test chooses.

use super::wire::Message;
use std::collections::HashSet;

/// Gives the names; those of values are made different from each other.
pub struct Texts<'a> {
    next: &'a mut dyn FnMut() -> Vec<u8>,
    taken: HashSet<Vec<u8>>,
}

impl<'a> Texts<'a> {
    pub fn new(next: &'a mut dyn FnMut() -> Vec<u8>) -> Self {
        // A value without a name is a missing one.
        Texts { next, taken: HashSet::from([Vec::new()]) }
    }

    /// A text that may be the same as another.
    fn text(&mut self) -> Vec<u8> {
        (self.next)()
    }

    /// A name that no other value has.
    fn value(&mut self) -> Vec<u8> {
        let base = (self.next)();
        let mut name = base.clone();
        let mut count = 0;
        while !self.taken.insert(name.clone()) {
            name = [&base[..], format!(".{count}").as_bytes()].concat();
            count += 1;
        }
        name
    }

    fn node(&mut self, operator: &[u8], inputs: &[&[u8]], output: &[u8]) -> Message {
        let node = inputs.iter().fold(Message::default(), |node, input| node.with(1, input));
        node.with(2, output).with(3, self.text()).with(4, operator).with(6, self.text())
    }

    /// An input or output of floats of two dimensions, the first one with a name.
    fn info(&mut self, name: &[u8], size: u64) -> Message {
        let first = Message::default().with(2, self.text()).with(3, self.text());
        let shape = Message::default().with(1, first).with(1, Message::default().number(1, size));
        let tensor = Message::default().number(1, 1).with(2, shape);
        Message::default().with(1, name).with(2, Message::default().with(1, tensor)).with(3, self.text())
    }

    fn scalar(&mut self, name: &[u8], element: u64) -> Message {
        let tensor = Message::default().number(1, element).with(2, Message::default());
        Message::default().with(1, name).with(2, Message::default().with(1, tensor)).with(3, self.text())
    }

    fn constant(&mut self, name: &[u8], dims: &[u64], element: u64, bytes: &[u8]) -> Message {
        let tensor = dims.iter().fold(Message::default(), |tensor, dim| tensor.number(1, *dim));
        tensor.number(2, element).with(8, name).with(9, bytes).with(12, self.text())
    }

    /// A branch with one node on a value from outside.
    fn branch(&mut self, operator: &[u8], input: &[u8]) -> Message {
        let output = self.value();
        let node = self.node(operator, &[input], &output);
        let info = self.info(&output, 3);
        Message::default().with(1, node).with(2, self.text()).with(10, self.text()).with(12, info)
    }
}

const FLOAT: u64 = 1;
const INT: u64 = 7;
const BOOL: u64 = 9;

/// An attribute: 3 is the field of a string's kind, 5 that of a graph's.
fn attribute(name: impl AsRef<[u8]>, field: u64, content: impl AsRef<[u8]>, kind: u64) -> Message {
    Message::default().with(1, name).with(field, content).number(20, kind)
}

fn integer(name: &str, value: u64) -> Message {
    Message::default().with(1, name).number(3, value).number(20, 2)
}

/// A model with layers, parameters, sizes, a function, a branch and a loop.
pub fn model(texts: &mut Texts<'_>) -> Vec<u8> {
    let [x, condition, weight, bias, scale, three, two] = std::array::from_fn(|_| texts.value());
    let [product, sum, scaled, size, shape, reshaped, called, chosen, y] =
        std::array::from_fn(|_| texts.value());
    // An empty domain is the standard one.
    let (domain, function) = (texts.value(), texts.value());
    let floats =
        |count: usize| (1..=count).flat_map(|value| (value as f32).to_le_bytes()).collect::<Vec<u8>>();

    let mut nodes = vec![
        texts.node(b"MatMul", &[&x, &weight], &product),
        texts.node(b"Add", &[&product, &bias], &sum),
        texts.node(b"Mul", &[&sum, &scale], &scaled),
        texts.node(b"Shape", &[&x], &size).with(5, integer("start", 0)).with(5, integer("end", 1)),
        texts.node(b"Concat", &[&size, &three], &shape).with(5, integer("axis", 0)),
        texts.node(b"Reshape", &[&scaled, &shape], &reshaped),
    ];
    let note = attribute(texts.text(), 4, texts.text(), 3);
    nodes.push(texts.node(&function, &[&reshaped], &called).with(7, &domain).with(5, note));
    let (then, otherwise) = (texts.branch(b"Neg", &called), texts.branch(b"Abs", &called));
    let branches = [attribute("then_branch", 6, then, 5), attribute("else_branch", 6, otherwise, 5)];
    let node = texts.node(b"If", &[&condition], &chosen);
    nodes.push(branches.iter().fold(node, |node, branch| node.with(5, branch)));
    let body = repeated(texts, &called);
    nodes.push(texts.node(b"Loop", &[&two, b"", &chosen], &y).with(5, attribute("body", 6, body, 5)));

    let mut graph = nodes.iter().fold(Message::default(), |graph, node| graph.with(1, node));
    graph = graph.with(2, texts.text()).with(10, texts.text());
    for constant in [
        texts.constant(&weight, &[4, 3], FLOAT, &floats(12)),
        texts.constant(&bias, &[3], FLOAT, &floats(3)),
        texts.constant(&scale, &[1, 3], FLOAT, &floats(3)),
        texts.constant(&three, &[1], INT, &3_i64.to_le_bytes()),
        texts.constant(&two, &[], INT, &2_i64.to_le_bytes()),
    ] {
        graph = graph.with(5, constant);
    }
    graph = graph
        .with(11, texts.info(&x, 4))
        .with(11, texts.scalar(&condition, BOOL))
        .with(12, texts.info(&y, 3));

    let (inner, outer) = (texts.value(), texts.value());
    let relu = texts.node(b"Relu", &[&inner], &outer);
    let definition = Message::default().with(1, &function).with(4, &inner).with(5, &outer).with(7, relu);
    let definition = definition.with(8, texts.text()).with(10, &domain);
    let entry = Message::default().with(1, texts.text()).with(2, texts.text());
    let opset = Message::default().with(1, b"").number(2, 17);
    let own = Message::default().with(1, &domain).number(2, 1);
    Message::default()
        .number(1, 9)
        .with(2, texts.text())
        .with(3, texts.text())
        .with(4, texts.text())
        .with(6, texts.text())
        .with(7, graph)
        .with(8, opset)
        .with(8, own)
        .with(14, entry)
        .with(25, definition)
        .0
}

/// The body of a loop: `state + other` of every iteration.
fn repeated(texts: &mut Texts<'_>, other: &[u8]) -> Message {
    let [iteration, condition, state, goes_on, next] = std::array::from_fn(|_| texts.value());
    let nodes =
        [texts.node(b"Identity", &[&condition], &goes_on), texts.node(b"Add", &[&state, other], &next)];
    let inputs = [texts.scalar(&iteration, INT), texts.scalar(&condition, BOOL), texts.info(&state, 3)];
    let outputs = [texts.scalar(&goes_on, BOOL), texts.info(&next, 3)];
    let mut graph = nodes.iter().fold(Message::default(), |graph, node| graph.with(1, node));
    graph = graph.with(2, texts.text()).with(10, texts.text());
    graph = inputs.iter().fold(graph, |graph, input| graph.with(11, input));
    outputs.iter().fold(graph, |graph, output| graph.with(12, output))
}
