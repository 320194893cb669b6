use super::Random;
use crate::Family;
use burn_backend::*;

/// Calls of which many are almost right: operands and options fit each other more often than not.
pub struct Calls<'a> {
    pub(super) random: &'a mut Random,
}

type Op = Operation<TensorSpec>;

impl<'a> Calls<'a> {
    pub fn new(random: &'a mut Random) -> Self {
        Calls { random }
    }

    fn flag(&mut self) -> bool {
        self.random.chance(50)
    }

    fn spec(&mut self) -> TensorSpec {
        TensorSpec { shape: self.random.shape(), dtype: self.random.dtype() }
    }

    /// A spec with this dtype, unless it is to be wrong.
    fn of(&mut self, dtype: DType) -> TensorSpec {
        let dtype = if self.random.chance(5) { self.random.dtype() } else { dtype };
        TensorSpec { shape: self.random.shape(), dtype }
    }

    /// A float tensor, unless it is to be wrong.
    fn float(&mut self) -> TensorSpec {
        let dtype = self.random.pick(&[DType::F64, DType::F64, DType::F32, DType::F16, DType::BF16]);
        self.of(dtype)
    }

    /// A float tensor of this rank, unless it is to be wrong.
    pub(super) fn float_of_rank(&mut self, rank: usize) -> TensorSpec {
        let spec = self.float();
        if self.random.chance(5) { spec } else { TensorSpec { shape: self.random.shape_of(rank), ..spec } }
    }

    /// Almost the shape and the dtype of another operand.
    fn like(&mut self, spec: &TensorSpec) -> TensorSpec {
        let dtype = if self.random.chance(6) { self.random.dtype() } else { spec.dtype };
        TensorSpec { shape: self.shape_like(&spec.shape), dtype }
    }

    pub(super) fn exactly(&mut self, shape: Shape, dtype: DType) -> TensorSpec {
        let spec = TensorSpec { shape, dtype };
        let fits = spec.shape.checked_num_elements().is_some_and(|count| count <= 1024);
        if fits && self.random.chance(88) { spec } else { self.like(&TensorSpec::new([2, 1], dtype)) }
    }

    fn shape_like(&mut self, shape: &Shape) -> Shape {
        let mut shape = shape.clone();
        match self.random.below(10) {
            0 => self.random.shape(),
            1 if shape.rank() > 0 => shape[1..].into(),
            2 if shape.rank() > 0 => {
                let dim = self.random.below(shape.rank());
                shape[dim] = 1;
                shape
            }
            3 if shape.rank() > 0 => {
                let dim = self.random.below(shape.rank());
                shape[dim] = self.random.below(4);
                shape
            }
            _ => shape,
        }
    }

    fn scalar(&mut self) -> Scalar {
        match self.random.below(6) {
            0 => Scalar::Int(self.random.signed(5) as i64),
            1 => Scalar::UInt(self.random.number(5) as u64),
            2 => Scalar::Bool(self.flag()),
            3 => Scalar::Float(self.random.pick(&[f64::NAN, f64::INFINITY, -0.0, 1e300, 1e-310])),
            _ => Scalar::Float(self.random.signed(3) as f64 / 2.0),
        }
    }

    fn index(&mut self) -> DType {
        if self.random.chance(70) { DType::I64 } else { self.random.dtype() }
    }

    fn dim(&mut self, x: &TensorSpec) -> usize {
        let rank = x.shape.rank();
        if rank > 0 && self.random.chance(90) { self.random.below(rank) } else { self.random.number(rank) }
    }

    fn dims(&mut self, x: &TensorSpec) -> Dims {
        let count = self.random.below(x.shape.rank() + 1);
        (0..count).map(|_| self.dim(x)).collect()
    }

    fn axes(&mut self, x: &TensorSpec) -> Dims {
        let mut axes: Vec<usize> = (0..x.shape.rank()).collect();
        for place in (1..axes.len()).rev() {
            axes.swap(place, self.random.below(place + 1));
        }
        if self.random.chance(8) {
            axes.push(self.random.number(3));
        }
        Dims::from(&axes[..])
    }

    fn slices(&mut self, x: &TensorSpec) -> Slices {
        let count = self.random.below(x.shape.rank() + 1) + usize::from(self.random.chance(4));
        let slice = |d: usize, random: &mut Random| {
            let size = x.shape.get(d).copied().unwrap_or(2);
            let end = if random.chance(60) { size } else { random.number(size) };
            let step = if random.chance(60) { 1 } else { random.number(3) };
            Slice { start: random.number(size), end, step }
        };
        (0..count).map(|d| slice(d, self.random)).collect()
    }

    fn sliced(&mut self, x: &TensorSpec, slices: &Slices) -> Shape {
        let slice = Operation::Layout(Layout::Slice { x: x.clone(), slices: slices.clone() });
        output_specs(&slice).map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone())
    }

    /// Any call of the family; none of what is no operation.
    pub fn call(&mut self, family: Family) -> Option<Op> {
        use Family::*;
        Some(match family {
            Unary | Binary | BinaryScalar | Compare | CompareScalar | Clamp | MaskWhere | MaskFill | Cast => {
                self.elementwise(family)
            }
            Reshape | Permute | Expand | Flip | Slice | SliceAssign | Cat | RepeatDim => self.layout(family),
            Reduce | ArgReduce | ReduceWithIndices | Cumulative | Sort | SortWithIndices | TopK => {
                self.along(family)
            }
            Gather | Scatter | Select | SelectAssign => self.indexed(family),
            Matmul | Factorize | Lu | Solve | SolveTriangular => self.matrices(family),
            Conv | ConvTranspose | ConvWeightGrad => self.conv(family),
            Pool | PoolGrad | MaxPoolWithIndices | AdaptiveAvgPool | AdaptiveAvgPoolGrad => self.pool(family),
            Fft | Softmax | LogSoftmax => self.transform(family),
            LayerNorm | LayerNormGrad => self.normalise(family),
            Attention | AttentionGrad => self.attention(family),
            Interpolate | InterpolateGrad => self.interpolate(family),
            Quantize | Dequantize | QuantizedMatmul | IntegerMatmul | DequantizeBlocks | BlockMatmul => {
                self.quantized(family)
            }
            Recurrent | RecurrentGrad => self.recurrent(family),
            DTypes | Creation | Random | Argwhere | Dropped | Threads => return None,
        })
    }

    fn elementwise(&mut self, family: Family) -> Op {
        let x = self.spec();
        match family {
            Family::Unary => {
                Operation::Elementwise(Elementwise::Unary { op: self.random.pick(&UnaryOp::ALL), x })
            }
            Family::Binary => Operation::Elementwise(Elementwise::Binary {
                op: self.random.pick(&BinaryOp::ALL),
                rhs: self.like(&x),
                lhs: x,
            }),
            Family::BinaryScalar => Operation::Elementwise(Elementwise::BinaryScalar {
                op: self.random.pick(&BinaryOp::ALL),
                lhs: x,
                rhs: self.scalar(),
            }),
            Family::Compare => Operation::Elementwise(Elementwise::Compare {
                op: self.random.pick(&CompareOp::ALL),
                rhs: self.like(&x),
                lhs: x,
            }),
            Family::CompareScalar => Operation::Elementwise(Elementwise::CompareScalar {
                op: self.random.pick(&CompareOp::ALL),
                lhs: x,
                rhs: self.scalar(),
            }),
            Family::Clamp => {
                let bound = |this: &mut Self| this.flag().then(|| this.scalar());
                Operation::Elementwise(Elementwise::Clamp { x, min: bound(self), max: bound(self) })
            }
            Family::MaskWhere => {
                let mask = self.of(DType::Bool);
                let on = TensorSpec { shape: self.shape_like(&mask.shape), dtype: x.dtype };
                Operation::Elementwise(Elementwise::MaskWhere { off: self.like(&on), mask, on })
            }
            Family::MaskFill => {
                let mask = TensorSpec { shape: self.shape_like(&x.shape), ..self.of(DType::Bool) };
                Operation::Elementwise(Elementwise::MaskFill { x, mask, value: self.scalar() })
            }
            _ => Operation::Elementwise(Elementwise::Cast { x, dtype: self.random.pick(&DType::ALL) }),
        }
    }

    fn layout(&mut self, family: Family) -> Op {
        let x = self.spec();
        match family {
            Family::Reshape => {
                let shape = match self.random.below(4) {
                    0 => self.random.shape(),
                    1 => self.random.numbers(2, 4).into(),
                    2 => [x.shape.num_elements()].into(),
                    _ => x.shape.iter().rev().copied().chain([1]).collect(),
                };
                Operation::Layout(Layout::Reshape { x, shape })
            }
            Family::Permute => Operation::Layout(Layout::Permute { axes: self.axes(&x), x }),
            Family::Expand => {
                let extra = self.random.below(2);
                let wide = |random: &mut Random, size: usize| {
                    if size == 1 || random.chance(5) { random.number(3) } else { size }
                };
                let front = self.random.numbers(extra, 3);
                let own: Vec<usize> = x.shape.iter().map(|&size| wide(self.random, size)).collect();
                Operation::Layout(Layout::Expand { x, shape: front.iter().copied().chain(own).collect() })
            }
            Family::Flip => Operation::Layout(Layout::Flip { axes: self.dims(&x), x }),
            Family::Slice => Operation::Layout(Layout::Slice { slices: self.slices(&x), x }),
            Family::SliceAssign => {
                let slices = self.slices(&x);
                let shape = self.sliced(&x, &slices);
                Operation::Layout(Layout::SliceAssign { value: self.exactly(shape, x.dtype), x, slices })
            }
            Family::Cat => {
                let dim = self.dim(&x);
                let count = self.random.below(4);
                let next = |this: &mut Self| {
                    let mut shape = x.shape.clone();
                    if let Some(size) = shape.get_mut(dim) {
                        *size = this.random.below(4);
                    }
                    this.exactly(shape, x.dtype)
                };
                Operation::Layout(Layout::Cat { xs: (0..count).map(|_| next(self)).collect(), dim })
            }
            _ => Operation::Layout(Layout::RepeatDim { dim: self.dim(&x), x, times: self.random.number(3) }),
        }
    }

    fn along(&mut self, family: Family) -> Op {
        let (x, index) = (self.spec(), self.index());
        let (dim, op) = (self.dim(&x), self.random.pick(&Extremum::ALL));
        match family {
            Family::Reduce => Operation::Reduction(Reduction::Reduce {
                op: self.random.pick(&ReduceOp::ALL),
                dims: self.dims(&x),
                x,
            }),
            Family::ArgReduce => Operation::Reduction(Reduction::ArgReduce { op, x, dim, index }),
            Family::ReduceWithIndices => {
                Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index })
            }
            Family::Cumulative => Operation::Reduction(Reduction::Cumulative {
                op: self.random.pick(&CumulativeOp::ALL),
                x,
                dim,
            }),
            Family::Sort => Operation::Order(Order::Sort { x, dim, descending: self.flag() }),
            Family::SortWithIndices => {
                Operation::Order(Order::SortWithIndices { x, dim, descending: self.flag(), index })
            }
            _ => {
                let k = self.random.number(x.shape.get(dim).copied().unwrap_or(2));
                Operation::Order(Order::TopK { x, k, dim, largest: self.flag(), index })
            }
        }
    }

    fn indexed(&mut self, family: Family) -> Op {
        let x = self.spec();
        let (dim, dtype, update) = (self.dim(&x), self.index(), self.random.pick(&IndexUpdate::ALL));
        let count = self.random.below(4);
        let mut shape = x.shape.clone();
        if let Some(size) = shape.get_mut(dim) {
            *size = count;
        }
        match family {
            Family::Gather => Operation::Index(Index::Gather { indices: self.exactly(shape, dtype), x, dim }),
            Family::Scatter => {
                let indices = self.exactly(shape.clone(), dtype);
                Operation::Index(Index::Scatter {
                    value: self.exactly(shape, x.dtype),
                    x,
                    dim,
                    indices,
                    update,
                })
            }
            Family::Select => {
                Operation::Index(Index::Select { x, dim, indices: self.exactly([count].into(), dtype) })
            }
            _ => {
                let indices = self.exactly([count].into(), dtype);
                Operation::Index(Index::SelectAssign {
                    value: self.exactly(shape, x.dtype),
                    x,
                    dim,
                    indices,
                    update,
                })
            }
        }
    }

    fn matrices(&mut self, family: Family) -> Op {
        let rank = self.random.pick(&[2, 2, 3, 4]);
        let x = self.float_of_rank(rank);
        let last = |back: usize| x.shape.rank().checked_sub(back).map_or(1, |d| x.shape[d]);
        let (rows, cols) = (last(2), last(1));
        let batch = x.shape.rank().saturating_sub(2);
        let square: Shape = x.shape[..batch].iter().copied().chain([rows, rows]).collect();
        let right = |inner: usize, this: &mut Self| -> TensorSpec {
            let sizes = [inner, this.random.below(4)];
            let shape = x.shape[..batch].iter().copied().chain(sizes).collect();
            this.exactly(shape, x.dtype)
        };
        match family {
            Family::Matmul => Operation::Linalg(Linalg::Matmul { rhs: right(cols, self), lhs: x }),
            Family::Factorize => {
                let op = self.random.pick(&Factorization::ALL);
                let fits = op.needs_square() && self.random.chance(90);
                Operation::Linalg(Linalg::Factorize {
                    op,
                    x: if fits { self.exactly(square, x.dtype) } else { x },
                })
            }
            Family::Lu => Operation::Linalg(Linalg::Lu { x, index: self.index() }),
            Family::Solve => {
                Operation::Linalg(Linalg::Solve { b: right(rows, self), a: self.exactly(square, x.dtype) })
            }
            _ => {
                let triangle = self.random.pick(&Triangle::ALL);
                Operation::Linalg(Linalg::SolveTriangular {
                    b: right(rows, self),
                    a: self.exactly(square, x.dtype),
                    triangle,
                })
            }
        }
    }

    fn conv(&mut self, family: Family) -> Op {
        let spatial = self.random.pick(&[1, 1, 2, 2, 3]);
        let x = self.float_of_rank(spatial + 2);
        let likely = |random: &mut Random, from: usize| -> Dims {
            let small: Dims = (0..spatial).map(|_| from + random.below(2)).collect();
            if random.chance(85) { small } else { random.numbers(spatial, 3) }
        };
        let options = ConvOptions {
            stride: likely(self.random, 1),
            padding: likely(self.random, 0),
            dilation: likely(self.random, 1),
            groups: if self.random.chance(80) { 1 } else { self.random.number(3) },
        };
        let channels = x.shape.get(1).copied().unwrap_or(1);
        let kernel: Vec<usize> = (0..spatial).map(|_| 1 + self.random.below(2)).collect();
        let per_group = channels.checked_div(options.groups).unwrap_or(1);
        let out = self.random.below(3).saturating_mul(options.groups);
        let shape = [out, per_group].into_iter().chain(kernel).collect();
        let weight = self.exactly(shape, x.dtype);
        let bias = self.flag().then(|| self.exactly([out].into(), x.dtype));
        let conv = Operation::Convolution(Convolution::Conv(Box::new(ConvArgs {
            x: x.clone(),
            weight: weight.clone(),
            bias,
            options: options.clone(),
        })));
        if family == Family::Conv {
            return conv;
        }
        let shape = output_specs(&conv).map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone());
        let grad = self.exactly(shape, x.dtype);
        let wanted = |this: &mut Self, shape: &Shape| match this.random.below(10) {
            0 => this.random.numbers(shape.rank(), 4).into(),
            1 => this.shape_like(shape),
            _ => shape.clone(),
        };
        if family == Family::ConvTranspose {
            let target = wanted(self, &x.shape);
            return Operation::Convolution(Convolution::ConvTranspose(Box::new(ConvGradArgs {
                grad,
                other: weight,
                target,
                options,
            })));
        }
        let target = wanted(self, &weight.shape);
        Operation::Convolution(Convolution::ConvWeightGrad(Box::new(ConvGradArgs {
            grad,
            other: x,
            target,
            options,
        })))
    }

    fn pool(&mut self, family: Family) -> Op {
        let spatial = self.random.pick(&[1, 1, 2, 2, 3]);
        let x = self.float_of_rank(spatial + 2);
        let likely = |random: &mut Random, from: usize| -> Dims {
            let small: Dims = (0..spatial).map(|_| from + random.below(2)).collect();
            if random.chance(85) { small } else { random.numbers(spatial, 3) }
        };
        let options = PoolOptions {
            kernel: likely(self.random, 1),
            stride: likely(self.random, 1),
            padding: likely(self.random, 0),
            dilation: likely(self.random, 1),
        };
        let (kind, index) = (self.random.pick(&PoolKind::ALL), self.index());
        let target = x.shape.clone();
        match family {
            Family::Pool => Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind, x, options }))),
            Family::MaxPoolWithIndices => {
                Operation::Pooling(Pooling::MaxPoolWithIndices { x, options: Box::new(options), index })
            }
            Family::PoolGrad => {
                let args = PoolArgs { kind, x: x.clone(), options: options.clone() };
                let shape = output_specs(&Operation::Pooling(Pooling::Pool(Box::new(args))))
                    .map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone());
                let grad = self.exactly(shape, x.dtype);
                let x = self.random.chance(80).then(|| self.exactly(target.clone(), x.dtype));
                Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                    kind,
                    grad,
                    x,
                    target,
                    options,
                })))
            }
            Family::AdaptiveAvgPool => {
                Operation::Pooling(Pooling::AdaptiveAvgPool { x, size: self.random.numbers(spatial, 4) })
            }
            _ => {
                let sizes = self.random.numbers(spatial, 4);
                let target = x.shape.iter().take(2).copied().chain(sizes.iter().copied()).collect();
                Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad: x, target })
            }
        }
    }

    fn interpolate(&mut self, family: Family) -> Op {
        let spatial = self.random.pick(&[1, 1, 2, 2, 3]);
        let x = self.float_of_rank(spatial + 2);
        let size = self.random.numbers(spatial, 4);
        let factors = match self.random.below(4) {
            0 => (0..spatial)
                .map(|_| self.random.pick(&[0.5, 1.7, 1e30, 1e-30, 0.0, -1.0, f64::NAN]))
                .collect(),
            1 => vec![2.0],
            _ => Vec::new(),
        };
        let mode = self.random.pick(&InterpolateMode::ALL);
        let options = Box::new(Interpolation { mode, align_corners: self.flag(), factors });
        if family == Family::Interpolate {
            return Operation::Resize(Resize::Interpolate { x, size, options });
        }
        let target = x.shape.iter().take(2).copied().chain(size.iter().copied()).collect();
        Operation::Resize(Resize::InterpolateGrad { grad: x, target, options })
    }

    fn normalise(&mut self, family: Family) -> Op {
        let x = self.float();
        let last: Shape = [x.shape.last().copied().unwrap_or(1)].into();
        let epsilon = self.random.pick(&[0.0, 1e-5, 1.0, -1.0]);
        let list = |this: &mut Self| this.flag().then(|| this.exactly(last.clone(), x.dtype));
        let (weight, bias) = (list(self), list(self));
        if family == Family::LayerNorm {
            return Operation::Normalization(Normalization::LayerNorm(Box::new(LayerNormArgs {
                x,
                weight,
                bias,
                epsilon,
            })));
        }
        let grad = self.exactly(x.shape.clone(), x.dtype);
        Operation::Normalization(Normalization::LayerNormGrad(Box::new(LayerNormGradArgs {
            grad,
            x,
            weight,
            epsilon,
        })))
    }

    fn attention(&mut self, family: Family) -> Op {
        let query = self.float_of_rank(4);
        let dim = |dim: usize| query.shape.get(dim).copied().unwrap_or(1);
        let [batch, heads, queries, size] = [0, 1, 2, 3].map(dim);
        let [key_heads, keys, size_out] = [if self.flag() { heads } else { 1 }, 5, 3]
            .map(|most| if self.random.chance(70) { most } else { self.random.number(most) });
        let key = self.exactly([batch, key_heads, keys, size].into(), query.dtype);
        let value = self.exactly([batch, key_heads, keys, size_out].into(), query.dtype);
        let mask = self.flag().then(|| {
            let shape = self.shape_like(&Shape::from([batch, heads, queries, keys]));
            let dtype = if self.random.chance(50) { DType::Bool } else { query.dtype };
            self.exactly(shape, dtype)
        });
        let causal = self.flag();
        let scale = self.random.pick(&[0.5, 0.0, -1.0, f64::NAN]);
        if family == Family::Attention {
            let args = AttentionArgs { query, key, value, mask, causal, scale };
            return Operation::Attention(Attention::Attention(Box::new(args)));
        }
        let grad = self.exactly([batch, heads, queries, size_out].into(), query.dtype);
        let log_sums = self.exactly([batch, heads, queries].into(), attention_dtype(query.dtype));
        let output = grad.clone();
        let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
        Operation::Attention(Attention::AttentionGrad(Box::new(args)))
    }

    fn recurrent(&mut self, family: Family) -> Op {
        let kind = self.random.pick(&RecurrentKind::ALL);
        let dtype = self.float().dtype;
        let [time, batch, size] = [4, 3, 3].map(|most| self.random.number(most));
        let of = |this: &mut Self, shape: &[usize]| this.exactly(shape.into(), dtype);
        let weight = of(self, &[size, kind.gates().saturating_mul(size)]);
        let state = [batch, size];
        let lengths = self.flag().then(|| {
            let count = if self.random.chance(90) { batch.min(1024) } else { 2 };
            (0..count).map(|_| self.random.number(time)).collect()
        });
        let reverse = self.flag();
        if family == Family::Recurrent {
            let gates = of(self, &[time, batch, kind.gates().saturating_mul(size)]);
            let hidden = of(self, &state);
            let has_cell = (kind == RecurrentKind::Lstm) == self.random.chance(95);
            let has_bias = (kind == RecurrentKind::Gru && self.flag()) == self.random.chance(95);
            let cell = has_cell.then(|| of(self, &state));
            let bias = has_bias.then(|| of(self, &[size]));
            let keep_activations = self.flag();
            let args =
                RecurrentArgs { kind, gates, weight, hidden, cell, bias, lengths, reverse, keep_activations };
            return Operation::Recurrent(Recurrent::Recurrent(Box::new(args)));
        }
        let grad = of(self, &[time.saturating_add(kind.states()), batch, size]);
        let activations = of(self, &[time, batch, kind.activations().saturating_mul(size)]);
        let has_initial = (kind.activations() > 0) == self.random.chance(95);
        let initial = has_initial.then(|| of(self, &state));
        let states = grad.clone();
        let args = RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse };
        Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(args)))
    }

    fn transform(&mut self, family: Family) -> Op {
        let x = self.float();
        let dim = self.dim(&x);
        match family {
            Family::Softmax => Operation::Normalization(Normalization::Softmax { x, dim }),
            Family::LogSoftmax => Operation::Normalization(Normalization::LogSoftmax { x, dim }),
            _ => {
                let n = match x.shape.get(dim) {
                    Some(&size) if self.random.chance(85) => {
                        (2 * size + self.random.below(2)).saturating_sub(2)
                    }
                    Some(_) | None => self.random.number(5),
                };
                let op = self.random.pick(&[FftOp::Forward, FftOp::Backward, FftOp::Real, FftOp::Half { n }]);
                let pairs = op != FftOp::Real && self.random.chance(90);
                let shape =
                    if pairs { x.shape.iter().copied().chain([2]).collect() } else { x.shape.clone() };
                Operation::Spectral(Spectral::Fft { op, x: self.exactly(shape, x.dtype), dim })
            }
        }
    }
}
