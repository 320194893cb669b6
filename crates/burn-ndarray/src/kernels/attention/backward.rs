use super::element::Element;
use super::pack::{HeadRows, Scratch, columns, padded, rows, rows_or_view};
use super::problem::{Problem, View, wide, widened};
use super::product::{Left, Product, ROWS, StridedRows};
use super::score_tile::Tile;
use super::{KEYS, PAD, QUERIES};
use crate::elements::number::Number;
use crate::kernels::binary::binary;
use crate::kernels::cast::cast;
use crate::memory::Room;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use burn_backend::{AttentionArgs, AttentionGradArgs, BinaryOp, DType, HasSpec};
use core::ops::Range;

/// Gradients by query, key and value.
pub fn attention_grad(args: AttentionGradArgs<NdTensor>) -> (NdTensor, NdTensor, NdTensor) {
    let AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale } = args;
    let dtype = query.spec().dtype;
    let args = widened(AttentionArgs { query, key, value, mask, causal, scale });
    let results = Results { grad: wide(grad), output: wide(output), log_sums: log_sums.into_contiguous() };
    let gradients = if dtype == DType::F64 {
        typed(&args, &results, scale)
    } else {
        typed(&args, &results, scale as f32)
    };
    let [query, key, value] = gradients.map(|gradient| cast(gradient, dtype));
    (query, key, value)
}

/// Gradient of the result, and the saved results of the forward pass.
struct Results {
    grad: NdTensor,
    output: NdTensor,
    log_sums: NdTensor,
}

fn typed<E: Element>(args: &AttentionArgs<NdTensor>, results: &Results, scale: E) -> [NdTensor; 3] {
    let problem = Problem::new(args, scale);
    let units = problem.batch * problem.key_heads;
    let tiles = problem.keys.div_ceil(KEYS);
    // Where heads are few, threads share the keys of each, and the gradients of queries are sums.
    let threads = parallel::threads();
    let parts =
        if units >= threads { 1 } else { (2 * threads).div_ceil(units.max(1)).clamp(1, tiles.max(1)) };
    let mut queries: Vec<NdTensor> = (0..parts).map(|_| NdTensor::new(args.query.spec().clone())).collect();
    let [mut key, mut value] = [&args.key, &args.value].map(|x| NdTensor::new(x.spec().clone()));
    if problem.keys < args.key.shape()[2] {
        [&mut key, &mut value].into_iter().for_each(|x| x.bytes_mut().fill(0));
    }
    let start = |x: &mut NdTensor| Shared(x.start_mut().cast::<E>());
    let pass = Pass {
        problem,
        grad: View::new(&results.grad),
        output: View::new(&results.output),
        log_sums: results.log_sums.slice(),
        all_keys: args.key.shape()[2],
        parts,
        span: tiles.div_ceil(parts) * KEYS,
        query_grads: &queries.iter_mut().map(start).collect::<Vec<_>>(),
        key_grad: start(&mut key),
        value_grad: start(&mut value),
    };
    let scores = problem.group() * problem.queries * pass.span.min(problem.keys);
    let cost = scores * (padded(problem.size) + padded(problem.size_out) + 2 * PAD) / 3;
    parallel::for_ranges(units * parts, cost.max(1), &|range| {
        // SAFETY: the tensors are there, and each unit has its own part of the gradients.
        unsafe { pass.run(range) };
    });
    let query = queries.into_iter().reduce(|sum, part| binary(BinaryOp::Add, sum, part));
    [query.expect("there is at least one part"), key, value]
}

/// A pass over the scores. A unit is a head of keys; it has parts of `span` keys.
struct Pass<'a, E> {
    problem: Problem<E>,
    grad: View<E>,
    output: View<E>,
    log_sums: &'a [E],
    /// Keys, also those that no query attends to.
    all_keys: usize,
    parts: usize,
    span: usize,
    query_grads: &'a [Shared<E>],
    key_grad: Shared<E>,
    value_grad: Shared<E>,
}

/// Keys and values of a unit, and their gradients so far.
struct Keys<'a, E> {
    /// The first one of the part, and how many.
    first: usize,
    count: usize,
    columns: &'a [E],
    rows: StridedRows<*const E>,
    value_columns: &'a [E],
    grad: &'a mut [E],
    value_grad: &'a mut [E],
}

/// Queries of a head, gradients of results, and their own gradients so far.
struct Queries<'a, E> {
    rows: &'a [E],
    grads: &'a [E],
    /// Logarithm and level of each.
    known: &'a [(E, E)],
    grad: &'a mut [E],
}

impl<E: Element> Pass<'_, E> {
    /// # Safety
    /// The tensors are there; nothing else touches the gradients of these units.
    unsafe fn run(&self, range: Range<usize>) {
        let problem = &self.problem;
        let (width, width_out) = (padded(problem.size), padded(problem.size_out));
        let span = self.span.min(problem.keys);
        let (rows_in, rows_out) = (problem.queries.next_multiple_of(ROWS), span.next_multiple_of(KEYS));
        let lengths = [
            rows_out * problem.size,
            rows_out * problem.size_out,
            span * width,
            rows_out * width,
            rows_out * width_out,
            rows_in * width,
            rows_in * width_out,
            rows_in * width,
            2 * QUERIES * KEYS,
        ];
        let mut scratch = Scratch::new::<E>(&lengths);
        let [key, value, key_rows, key_grad, value_grad, query, grad, query_grad, tiles] =
            scratch.parts(lengths);
        let _room = Room::new::<(E, E)>(problem.queries);
        let mut known = alloc::vec![(<E as Number>::ZERO, <E as Number>::ZERO); problem.queries];
        for index in range {
            let (unit, part) = (index / self.parts, index % self.parts);
            let (batch, key_head) = (unit / problem.key_heads, unit % problem.key_heads);
            let first = (part * self.span).min(problem.keys);
            let count = self.span.min(problem.keys - first);
            let place = HeadRows { batch, head: key_head, first, count };
            key_grad.fill(<E as Number>::ZERO);
            value_grad.fill(<E as Number>::ZERO);
            // SAFETY: the rows are those of the tensors.
            let rows_of_keys = unsafe {
                columns(&problem.key, place, problem.size, key);
                columns(&problem.value, place, problem.size_out, value);
                rows_or_view(&problem.key, place, problem.size, key_rows)
            };
            for head in key_head * problem.group()..(key_head + 1) * problem.group() {
                let place = HeadRows { batch, head, first: 0, count: problem.queries };
                query_grad.fill(<E as Number>::ZERO);
                // SAFETY: as above; memory is as long as it is made here.
                unsafe {
                    rows(&problem.query, place, problem.size, problem.scale, query);
                    rows(&self.grad, place, problem.size_out, <E as Number>::ONE, grad);
                    self.know(place, grad, &mut known);
                    let mut keys = Keys {
                        first,
                        count,
                        columns: key,
                        rows: rows_of_keys,
                        value_columns: value,
                        grad: key_grad,
                        value_grad,
                    };
                    let mut queries = Queries { rows: query, grads: grad, known: &known, grad: query_grad };
                    self.meet([batch, head], &mut keys, &mut queries, tiles);
                    let line = (batch * problem.heads + head) * problem.queries;
                    let to = self.query_grads[part].get().wrapping_add(line * problem.size);
                    write(query_grad, problem.size, problem.queries, problem.scale, to);
                }
            }
            let line = unit * self.all_keys + first;
            // SAFETY: as above.
            unsafe {
                let to = self.key_grad.get().wrapping_add(line * problem.size);
                write(key_grad, problem.size, count, <E as Number>::ONE, to);
                let to = self.value_grad.get().wrapping_add(line * problem.size_out);
                write(value_grad, problem.size_out, count, <E as Number>::ONE, to);
            }
        }
    }

    /// The logarithm of each query, and the level of its slopes: the result times its gradient.
    ///
    /// # Safety
    /// See [`Pass::run`].
    unsafe fn know(&self, place: HeadRows, grads: &[E], known: &mut [(E, E)]) {
        let Problem { heads, queries, size_out, .. } = self.problem;
        let line = (place.batch * heads + place.head) * queries;
        for (at, known) in known.iter_mut().enumerate() {
            let (output, step) = (self.output.row(place.batch, place.head, at), self.output.step());
            let grads = &grads[at * padded(size_out)..][..size_out];
            let mut lanes = [<E as Number>::ZERO; PAD];
            for (part, grads) in grads.chunks(PAD).enumerate() {
                for (lane, &grad) in grads.iter().enumerate() {
                    let place = (part * PAD + lane).wrapping_mul(step);
                    // SAFETY: by the contract.
                    lanes[lane] = lanes[lane] + grad * unsafe { output.wrapping_add(place).read() };
                }
            }
            let level = lanes.into_iter().fold(<E as Number>::ZERO, |sum, x| sum + x);
            *known = (self.log_sums[line + at], level);
        }
    }

    /// All tiles of a head and a part of the keys.
    ///
    /// # Safety
    /// See [`Pass::run`].
    unsafe fn meet(
        &self,
        head: [usize; 2],
        keys: &mut Keys<'_, E>,
        queries: &mut Queries<'_, E>,
        tiles: &mut [E],
    ) {
        let problem = &self.problem;
        for start in (0..keys.count).step_by(KEYS) {
            let count = KEYS.min(keys.count - start);
            let first = problem.first_tile(keys.first + start) * QUERIES;
            for query in (first..problem.queries).step_by(QUERIES) {
                let rows = (query, QUERIES.min(problem.queries - query));
                // SAFETY: by the contract.
                unsafe { self.tile(head, keys, (start, count), queries, rows, tiles) };
            }
        }
    }

    /// One tile: `(start, count)` of the part's keys, `(query, rows)` of the queries.
    ///
    /// # Safety
    /// See [`Pass::run`].
    unsafe fn tile(
        &self,
        head: [usize; 2],
        keys: &mut Keys<'_, E>,
        (start, count): (usize, usize),
        queries: &mut Queries<'_, E>,
        (query, rows): (usize, usize),
        tiles: &mut [E],
    ) {
        let problem = &self.problem;
        let (size, size_out) = (problem.size, problem.size_out);
        let (width, width_out) = (padded(size), padded(size_out));
        let (scores, slopes) = tiles.split_at_mut(QUERIES * KEYS);
        let [scores, slopes] = [scores, slopes].map(|tile| Tile {
            rows: StridedRows { start: tile.as_mut_ptr(), step: KEYS },
            len: count.next_multiple_of(PAD),
        });
        let strips = rows.next_multiple_of(ROWS);
        let query_rows = StridedRows { start: queries.rows[query * width..].as_ptr(), step: width };
        let grad_rows = StridedRows { start: queries.grads[query * width_out..].as_ptr(), step: width_out };
        let left = |rows: StridedRows<*const E>| Left { start: rows.start, step: rows.step, turned: false };
        let tile = |tile: Tile<E>, turned| Left { start: tile.rows.start.cast_const(), step: KEYS, turned };
        let columns =
            |all: &[E], size: usize| StridedRows { start: all[start * size..].as_ptr(), step: KEYS };
        // SAFETY: by the contract; strips of keys are there, since tiles are whole strips.
        unsafe {
            let make = |left, right, size, out: Tile<E>| Product {
                sizes: [strips, out.len, size],
                left,
                right,
                out: out.rows,
                accumulate: false,
            };
            E::product(make(left(query_rows), columns(keys.columns, size), size, scores));
            problem.hide(scores, head, (query, rows), (keys.first + start, count));
            E::product(make(left(grad_rows), columns(keys.value_columns, size_out), size_out, slopes));
            E::slope(scores, slopes, &queries.known[query..query + rows]);
            let add = |sizes, left, right, out: &mut [E], step| {
                let out = StridedRows { start: out.as_mut_ptr(), step };
                E::product(Product { sizes, left, right, out, accumulate: true });
            };
            let strips_of_keys = count.next_multiple_of(ROWS);
            let sizes = [strips_of_keys, width_out, rows];
            add(sizes, tile(scores, true), grad_rows, &mut keys.value_grad[start * width_out..], width_out);
            let sizes = [strips_of_keys, width, rows];
            add(sizes, tile(slopes, true), query_rows, &mut keys.grad[start * width..], width);
            let sizes = [strips, width, count];
            add(
                sizes,
                tile(slopes, false),
                keys.rows.after(start),
                &mut queries.grad[query * width..],
                width,
            );
        }
    }
}

/// Copies `count` packed rows times `factor`.
///
/// # Safety
/// As many rows of `size` may be written.
unsafe fn write<E: Element>(from: &[E], size: usize, count: usize, factor: E, to: *mut E) {
    // SAFETY: by the contract.
    let to = unsafe { core::slice::from_raw_parts_mut(to, count * size) };
    let rows = to.chunks_exact_mut(size.max(1)).zip(from.chunks_exact(padded(size).max(1)));
    for (to, from) in rows {
        to.iter_mut().zip(from).for_each(|(to, &x)| *to = x * factor);
    }
}
