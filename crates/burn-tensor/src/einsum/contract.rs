use super::equation::Label;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::{Backend, BinaryOp, Dims, HasSpec, ReduceOp, Shape, Slice, Slices};

/// Operand whose dimensions have labels.
pub struct Piece<B: Backend> {
    pub tensor: B::Tensor,
    pub labels: Vec<Label>,
}

impl<B: Backend> Piece<B> {
    fn size(&self, label: Label) -> usize {
        let dim = self.labels.iter().position(|&own| own == label);
        dim.map_or(1, |dim| self.tensor.spec().shape[dim])
    }

    fn shape(&self, labels: &[Label]) -> Shape {
        labels.iter().map(|&label| self.size(label)).collect()
    }

    fn count(&self, labels: &[Label]) -> usize {
        self.shape(labels).num_elements()
    }

    /// Takes the diagonal of repeated labels, so that every label occurs once.
    #[must_use]
    pub fn diagonal(mut self) -> Self {
        while let Some((first, second)) = repeated(&self.labels) {
            let label = self.labels[first];
            let others = (0..self.labels.len()).filter(|&dim| dim != first && dim != second);
            let axes: Dims = others.chain([first, second]).collect();
            let size = self.tensor.spec().shape[first];
            self.labels.remove(second);
            self.labels.remove(first);
            let outer = self.shape_of(&axes[..axes.len() - 2]);
            let flat = outer.iter().copied().chain([size * size]).collect();
            let tensor = B::reshape(B::permute(self.tensor, axes), flat);
            // The elements of the diagonal are one row and one column apart.
            let mut slices: Slices = outer.iter().map(|&size| Slice::from(0..size)).collect();
            slices.push(Slice { start: 0, end: size * size, step: size + 1 });
            self.tensor = B::slice(tensor, slices);
            self.labels.push(label);
        }
        self
    }

    fn shape_of(&self, dims: &[usize]) -> Shape {
        dims.iter().map(|&dim| self.tensor.spec().shape[dim]).collect()
    }

    /// Removes the dimensions of size 1 that another operand has at full size.
    #[must_use]
    pub fn narrow(self, full: impl Fn(Label) -> usize) -> Self {
        let kept = self.labels.iter().copied().filter(|&label| self.size(label) == full(label));
        let labels: Vec<Label> = kept.collect();
        if labels.len() == self.labels.len() {
            return self;
        }
        let shape = self.shape(&labels);
        Piece { tensor: B::reshape(self.tensor, shape), labels }
    }

    /// Sums over every dimension that is not kept.
    #[must_use]
    pub fn summed(self, kept: impl Fn(Label) -> bool) -> Self {
        let dims: Dims = (0..self.labels.len()).filter(|&dim| !kept(self.labels[dim])).collect();
        if dims.is_empty() {
            return self;
        }
        let labels: Vec<Label> = self.labels.iter().copied().filter(|&label| kept(label)).collect();
        let shape = self.shape(&labels);
        Piece { tensor: B::reshape(B::reduce(ReduceOp::Sum, self.tensor, dims), shape), labels }
    }

    /// Permutes the dimensions into the order of `labels`, which are its own.
    pub fn arranged(self, labels: &[Label]) -> B::Tensor {
        if self.labels == labels {
            return self.tensor;
        }
        let place = |&label: &Label| self.labels.iter().position(|&own| own == label).unwrap_or_default();
        let axes: Dims = labels.iter().map(place).collect();
        B::permute(self.tensor, axes)
    }
}

fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    let second = (0..labels.len()).find(|&dim| labels[..dim].contains(&labels[dim]))?;
    let first = labels.iter().position(|&label| label == labels[second])?;
    Some((first, second))
}

/// Multiplies two operands and sums over the labels that no other operand has: a matrix product, batched over
/// the labels that both keep.
pub fn contract<B: Backend>(
    lhs: Piece<B>,
    rhs: Piece<B>,
    kept: impl Fn(Label) -> bool,
) -> Result<Piece<B>, String> {
    let lhs = lhs.summed(|label| kept(label) || rhs.labels.contains(&label));
    let rhs = rhs.summed(|label| kept(label) || lhs.labels.contains(&label));
    let own = |labels: &[Label], test: &dyn Fn(Label) -> bool| -> Vec<Label> {
        labels.iter().copied().filter(|&label| test(label)).collect()
    };
    let both = |label: Label| lhs.labels.contains(&label) && rhs.labels.contains(&label);
    let batch = own(&lhs.labels, &|label| both(label) && kept(label));
    let inner = own(&lhs.labels, &|label| both(label) && !kept(label));
    let left = own(&lhs.labels, &|label| !both(label));
    let right = own(&rhs.labels, &|label| !both(label));
    let labels = [&batch[..], &left, &right].concat();
    let shape: Shape = [lhs.shape(&batch), lhs.shape(&left), rhs.shape(&right)]
        .iter()
        .flat_map(|shape| shape.iter().copied())
        .collect();
    let bytes = shape.checked_num_elements().and_then(|count| count.checked_mul(lhs.tensor.dtype().size()));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(format!("a product of shape {shape:?} has more elements than memory can hold"));
    }
    let (batches, rows, columns, depth) =
        (lhs.count(&batch), lhs.count(&left), rhs.count(&right), lhs.count(&inner));
    let product = if inner.is_empty() {
        let of_lhs = lhs.arranged(&[&batch[..], &left].concat());
        let of_rhs = rhs.arranged(&[&batch[..], &right].concat());
        B::binary(
            BinaryOp::Mul,
            B::reshape(of_lhs, [batches, rows, 1].into()),
            B::reshape(of_rhs, [batches, 1, columns].into()),
        )
    } else {
        let of_lhs = lhs.arranged(&[&batch[..], &left, &inner].concat());
        let of_rhs = rhs.arranged(&[&batch[..], &inner, &right].concat());
        B::matmul(
            B::reshape(of_lhs, [batches, rows, depth].into()),
            B::reshape(of_rhs, [batches, depth, columns].into()),
        )
    };
    Ok(Piece { tensor: B::reshape(product, shape), labels })
}

/// Returns the number of elements of the product, for choosing the next pair.
pub fn cost<B: Backend>(lhs: &Piece<B>, rhs: &Piece<B>, kept: impl Fn(Label) -> bool) -> usize {
    let new = rhs.labels.iter().filter(|&label| !lhs.labels.contains(label));
    let all = lhs.labels.iter().map(|&label| (label, lhs.size(label)));
    let all = all.chain(new.map(|&label| (label, rhs.size(label))));
    all.filter(|&(label, _)| kept(label)).fold(1, |count, (_, size)| count.saturating_mul(size))
}
