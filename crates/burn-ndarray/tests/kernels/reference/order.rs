use super::pair::*;
use burn_backend::*;

#[test]
fn layout() {
    for dtype in [DType::F64, DType::F32, DType::BF16, DType::U8, DType::Bool] {
        for layout in LAYOUTS {
            for shape in [[6, 4, 5], [20, 1, 17], [17, 20, 2]] {
                check_layout(shape, dtype, layout);
            }
        }
    }
}

fn check_layout(shape: [usize; 3], dtype: DType, layout: MemoryLayout) {
    let numbers = |shape: &[usize]| tensor(shape, dtype, range_of(dtype), layout);
    let (x, [a, b, c]) = (numbers(&shape), shape);
    for to in [&[a * b, c][..], &[a, b * c], &[a * b * c], &[a, 1, b, c, 1]] {
        check(Operation::Layout(Layout::Reshape { x: x.clone(), shape: to.iter().copied().collect() }));
    }
    for axes in [[2, 1, 0], [0, 2, 1], [1, 0, 2]] {
        let turned = run(Operation::Layout(Layout::Permute { x: x.clone(), axes: Dims::from(axes) })).one();
        check(Operation::Layout(Layout::Reshape { x: turned.clone(), shape: Shape::from([a * b * c]) }));
        check(Operation::Layout(Layout::Flip { x: turned, axes: Dims::from([0, 2]) }));
    }
    let step = |start, end, step| Slice { start, end, step };
    let slices: Slices = [step(1, a, 2), step(0, b, 1), step(0, c, 3)].into_iter().collect();
    let part = run(Operation::Layout(Layout::Slice { x: x.clone(), slices: slices.clone() })).one();
    same(&part, "slice");
    let value = tensor(&part.spec().shape, dtype, (0.0, 2.0), MemoryLayout::Plain);
    check(Operation::Layout(Layout::SliceAssign { x: x.clone(), slices, value }));
    for dim in 0..3 {
        check(Operation::Layout(Layout::Cat { xs: vec![x.clone(), numbers(&shape), x.clone()], dim }));
        check(Operation::Layout(Layout::RepeatDim { x: x.clone(), dim, times: 3 }));
    }
    check(Operation::Layout(Layout::Expand { x: numbers(&[b, 1]), shape: Shape::from([a, b, c]) }));
}

#[test]
fn reduce() {
    for dtype in shared_dtypes() {
        for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
            let product = op == ReduceOp::Prod;
            let range = match (product, dtype.is_float()) {
                (true, true) => (0.9, 1.1),
                (true, false) => (1.0, 2.0),
                (false, _) => (0.0, 2.0),
            };
            for layout in LAYOUTS {
                for shape in [[3, 4, 5], [2, 30, 3], [3, 1, 150]] {
                    let x = tensor(&shape, dtype, range, layout);
                    for dims in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
                        // Narrow types hold only small sums.
                        let count: usize = dims.iter().map(|&d| shape[d]).product();
                        if count <= 60 || (dtype.size() >= 4 && !product) {
                            check(Operation::Reduction(Reduction::Reduce {
                                op,
                                x: x.clone(),
                                dims: Dims::from(dims),
                            }));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn order() {
    for dtype in shared_dtypes().filter(|&dtype| dtype != DType::Bool) {
        for layout in LAYOUTS {
            let x = tensor(&[3, 4, 5], dtype, range_of(dtype), layout);
            for (dim, index) in [(0, DType::I64), (1, DType::I32), (2, DType::I64)] {
                for op in [Extremum::Max, Extremum::Min] {
                    check(Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index }));
                    check(Operation::Reduction(Reduction::ReduceWithIndices {
                        op,
                        x: x.clone(),
                        dim,
                        index,
                    }));
                }
                for descending in [false, true] {
                    check(Operation::Order(Order::Sort { x: x.clone(), dim, descending }));
                    check(Operation::Order(Order::SortWithIndices { x: x.clone(), dim, descending, index }));
                    check(Operation::Order(Order::TopK {
                        x: x.clone(),
                        k: 3,
                        dim,
                        largest: descending,
                        index,
                    }));
                }
                for op in CumulativeOp::ALL {
                    check(Operation::Reduction(Reduction::Cumulative {
                        op,
                        x: tensor(&[2, 3, 4], dtype, (1.0, 2.0), layout),
                        dim,
                    }));
                }
            }
        }
    }
}

#[test]
fn index() {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::I32, DType::U8, DType::Bool] {
        for layout in LAYOUTS {
            for (dim, index) in [(0, DType::I64), (1, DType::I32), (2, DType::U8)] {
                check_index(dtype, layout, dim, index);
            }
        }
    }
}

fn check_index(dtype: DType, layout: MemoryLayout, dim: usize, index: DType) {
    let x = tensor(&[6, 5, 7], dtype, range_of(dtype), layout);
    let (at, list) = (tensor(&[4, 3, 5], index, (0.0, 5.0), layout), tensor(&[9], index, (0.0, 5.0), layout));
    check(Operation::Index(Index::Gather { x: x.clone(), dim, indices: at.clone() }));
    check(Operation::Index(Index::Select { x: x.clone(), dim, indices: list.clone() }));
    let part = x.spec().shape.with(dim, 9);
    let updates = [IndexUpdate::Assign, IndexUpdate::Add].into_iter();
    for update in updates.filter(|update| update.accepts(dtype)) {
        let value = tensor(&[4, 3, 5], dtype, (0.0, 2.0), layout);
        check(Operation::Index(Index::Scatter { x: x.clone(), dim, indices: at.clone(), value, update }));
        let value = tensor(&part, dtype, (0.0, 2.0), layout);
        check(Operation::Index(Index::SelectAssign {
            x: x.clone(),
            dim,
            indices: list.clone(),
            value,
            update,
        }));
    }
}

#[test]
fn empty() {
    let x = |shape: &[usize]| tensor(shape, DType::F32, (0.0, 1.0), MemoryLayout::Plain);
    check(Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Exp, x: x(&[0, 3]) }));
    check(Operation::Elementwise(Elementwise::Binary {
        op: BinaryOp::Add,
        lhs: x(&[0, 3]),
        rhs: x(&[1, 3]),
    }));
    check(Operation::Reduction(Reduction::Reduce {
        op: ReduceOp::Sum,
        x: x(&[0, 3]),
        dims: Dims::from([0]),
    }));
    check(Operation::Reduction(Reduction::Reduce {
        op: ReduceOp::Sum,
        x: x(&[0, 3]),
        dims: Dims::from([1]),
    }));
    check(Operation::Linalg(Linalg::Matmul { lhs: x(&[2, 0]), rhs: x(&[0, 3]) }));
    check(Operation::Linalg(Linalg::Matmul { lhs: x(&[0, 2]), rhs: x(&[2, 3]) }));
    check(Operation::Layout(Layout::Reshape { x: x(&[0, 3]), shape: Shape::from([3, 0, 2]) }));
    check(Operation::Layout(Layout::Cat { xs: vec![x(&[0, 3]), x(&[2, 3])], dim: 0 }));
    check(Operation::Layout(Layout::Flip { x: x(&[0, 3]), axes: Dims::from([0]) }));
    check(Operation::Normalization(Normalization::Softmax { x: x(&[0, 3]), dim: 1 }));
    check(Operation::Order(Order::Sort { x: x(&[2, 0]), dim: 1, descending: false }));
    let none = tensor(&[0], DType::I64, (0.0, 1.0), MemoryLayout::Plain);
    check(Operation::Index(Index::Select { x: x(&[2, 3]), dim: 0, indices: none }));
    check(Operation::Layout(Layout::Slice { x: x(&[2, 3]), slices: Slices::from_iter([Slice::from(2..2)]) }));
}

#[test]
fn views_show_the_elements_in_every_layout() {
    for layout in LAYOUTS {
        let x = tensor(&[3, 4, 5], DType::F32, (-1.0, 1.0), layout).0;
        let view = x.view::<f32>();
        assert_eq!(view.shape(), [3, 4, 5]);
        let data = block_on(Leaf::into_data(x.clone())).expect("ready").expect("readable");
        assert!(view.iter().eq(data.as_slice::<f32>().expect("f32")), "{layout:?}");
    }
}
