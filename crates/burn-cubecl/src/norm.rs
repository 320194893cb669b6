use crate::accumulate::Join;
use crate::kernel::{A, Body, Kernel, UNITS, launch_cubes};
use crate::layout::contiguous;
use crate::leaf::Leaf;
use crate::lines::{LineView, LineWords, Lines, LinesKind, along, line_start};
use crate::softmax::{are_few_and_long, team_of};
use crate::team::{Team, lane, row, together};
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Layer norm of rows: one read and one write of each element where a row fits into registers, else three reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LayerNorm {
    lines: LinesKind,
    team: Team,
    kept: u32,
    weighted: bool,
    biased: bool,
}

/// Element `k` of a line, or 0 behind its end.
#[cube]
fn load<E: Numeric>(x: &Array<E>, view: &LineView, start: u32, k: u32, end: u32) -> f32 {
    let mut value = 0.0f32;
    if k < end {
        value = f32::cast_from(x[along(view, start, k)]);
    }
    value
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn layer_norm<E: Numeric>(
    x: &Array<E>,
    weight: &Array<E>,
    bias: &Array<E>,
    out: &mut Array<E>,
    lines: &LineWords,
    from: &LineView,
    to: &LineView,
    epsilon: f32,
    #[comptime] how: LayerNorm,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let team = comptime!(how.team);
    let line = row(team);
    let lane = lane(team);
    let end = select(line < lines.count, lines.terms, 0u32);
    let count = f32::cast_from(lines.terms);
    let start = line_start(lines, from, line);
    let target = line_start(lines, to, line);
    if comptime!(how.kept > 0) {
        let mut values = Array::<f32>::new(comptime!(how.kept as usize));
        let mut sum = 0.0f32;
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let value = load::<E>(x, from, start, lane + comptime!(r as u32 * how.team.size), end);
            values[r] = value;
            sum += value;
        }
        let mean = together::<f32>(sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let mut squares = 0.0f32;
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let centred = values[r] - mean;
            values[r] = centred;
            squares += select(lane + comptime!(r as u32 * how.team.size) < end, centred * centred, 0.0f32);
        }
        let variance = together::<f32>(squares, &mut shared, team, comptime!(Join::SUM)) / count;
        let scale = 1.0f32 / (variance + epsilon).sqrt();
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let k = lane + comptime!(r as u32 * how.team.size);
            if k < end {
                let y = affine::<E>(values[r] * scale, weight, bias, k, how);
                out[along(to, target, k)] = E::cast_from(y);
            }
        }
    } else {
        let mut sum = 0.0f32;
        let mut k = lane;
        while k < end {
            sum += f32::cast_from(x[along(from, start, k)]);
            k += comptime!(how.team.size);
        }
        let mean = together::<f32>(sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let mut squares = 0.0f32;
        k = lane;
        while k < end {
            let centred = f32::cast_from(x[along(from, start, k)]) - mean;
            squares += centred * centred;
            k += comptime!(how.team.size);
        }
        let variance = together::<f32>(squares, &mut shared, team, comptime!(Join::SUM)) / count;
        let scale = 1.0f32 / (variance + epsilon).sqrt();
        k = lane;
        while k < end {
            let centred = f32::cast_from(x[along(from, start, k)]) - mean;
            let y = affine::<E>(centred * scale, weight, bias, k, how);
            out[along(to, target, k)] = E::cast_from(y);
            k += comptime!(how.team.size);
        }
    }
}

#[cube]
fn affine<E: Numeric>(y: f32, weight: &Array<E>, bias: &Array<E>, k: u32, #[comptime] how: LayerNorm) -> f32 {
    let mut y = y;
    if comptime!(how.weighted) {
        y *= f32::cast_from(weight[k as usize]);
    }
    if comptime!(how.biased) {
        y += f32::cast_from(bias[k as usize]);
    }
    y
}

impl Kernel for LayerNorm {
    const NAME: &'static str = "layer_norm";

    fn expand(&self, body: &mut Body) {
        let [x, weight, bias, out] = [0, 1, 2, 3].map(|at| body.array(at));
        let lines = self.lines.read(body);
        let (from, to) = (self.lines.view(body, 0), self.lines.view(body, 1));
        let epsilon = body.word(self.lines.end(2));
        let scope = &mut body.scope;
        let epsilon = of_bits::expand(scope, epsilon);
        layer_norm::expand::<A>(scope, x, weight, bias, out, lines, from, to, epsilon, *self);
    }
}

#[cube]
fn of_bits(word: u32) -> f32 {
    f32::reinterpret(word)
}

/// Along the last dimension, in one kernel.
pub fn layer_norm_(args: LayerNormArgs<CubeTensor>) -> CubeTensor {
    let out = CubeTensor::empty(args.x.spec().clone(), args.x.engine());
    let lines = Lines::new(&[&args.x, &out], args.x.spec().shape.rank() - 1);
    if lines.count * lines.terms == 0 {
        return out;
    }
    if are_few_and_long(&lines) {
        return reference::layer_norm::<Leaf>(args);
    }
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    let (team, kept) = team_of(&lines);
    let (weighted, biased) = (weight.is_some(), bias.is_some());
    let kernel = LayerNorm { lines: lines.kind(), team, kept, weighted, biased };
    let [weight, bias] = [weight, bias].map(|list| list.map_or_else(|| x.clone(), contiguous));
    let mut words = lines.words();
    words.push((epsilon as f32).to_bits());
    let cubes = lines.count.div_ceil(team.rows() as usize);
    launch_cubes(kernel, &[&x, &weight, &bias], &[&out], &words, cubes, CubeDim::new_1d(UNITS));
    out
}

/// Gradient of a layer norm by its input, as [`LayerNorm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LayerNormGrad {
    lines: LinesKind,
    team: Team,
    kept: u32,
    weighted: bool,
}

#[cube]
fn weighted<E: Numeric>(
    grad: f32,
    weight: &Array<E>,
    k: u32,
    end: u32,
    #[comptime] how: LayerNormGrad,
) -> f32 {
    let mut g = grad;
    if comptime!(how.weighted) {
        let mut factor = 0.0f32;
        if k < end {
            factor = f32::cast_from(weight[k as usize]);
        }
        g *= factor;
    }
    g
}

/// `(g - mean(g) - y mean(g y)) / deviation`, where `y` is the input normalised and `g` the gradient times the weight.
#[cube]
#[allow(clippy::too_many_arguments)]
fn layer_norm_grad<E: Numeric>(
    grad: &Array<E>,
    x: &Array<E>,
    weight: &Array<E>,
    out: &mut Array<E>,
    lines: &LineWords,
    of_grad: &LineView,
    of_x: &LineView,
    to: &LineView,
    epsilon: f32,
    #[comptime] how: LayerNormGrad,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let team = comptime!(how.team);
    let line = row(team);
    let lane = lane(team);
    let end = select(line < lines.count, lines.terms, 0u32);
    let count = f32::cast_from(lines.terms);
    let start = line_start(lines, of_x, line);
    let grads = line_start(lines, of_grad, line);
    let target = line_start(lines, to, line);
    if comptime!(how.kept > 0) {
        let mut values = Array::<f32>::new(comptime!(how.kept as usize));
        let mut gs = Array::<f32>::new(comptime!(how.kept as usize));
        let mut sum = 0.0f32;
        let mut g_sum = 0.0f32;
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let k = lane + comptime!(r as u32 * how.team.size);
            let value = load::<E>(x, of_x, start, k, end);
            let g = weighted::<E>(load::<E>(grad, of_grad, grads, k, end), weight, k, end, how);
            values[r] = value;
            gs[r] = g;
            sum += value;
            g_sum += g;
        }
        let mean = together::<f32>(sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let g_mean = together::<f32>(g_sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let mut squares = 0.0f32;
        let mut products = 0.0f32;
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let centred = values[r] - mean;
            values[r] = centred;
            let inside = lane + comptime!(r as u32 * how.team.size) < end;
            squares += select(inside, centred * centred, 0.0f32);
            products += select(inside, centred * gs[r], 0.0f32);
        }
        let variance = together::<f32>(squares, &mut shared, team, comptime!(Join::SUM)) / count;
        let scale = 1.0f32 / (variance + epsilon).sqrt();
        let product = together::<f32>(products, &mut shared, team, comptime!(Join::SUM)) * scale / count;
        #[unroll]
        for r in 0..comptime!(how.kept as usize) {
            let k = lane + comptime!(r as u32 * how.team.size);
            if k < end {
                let y = values[r] * scale;
                out[along(to, target, k)] = E::cast_from((gs[r] - g_mean - y * product) * scale);
            }
        }
    } else {
        let mut sum = 0.0f32;
        let mut g_sum = 0.0f32;
        let mut k = lane;
        while k < end {
            sum += f32::cast_from(x[along(of_x, start, k)]);
            g_sum += weighted::<E>(load::<E>(grad, of_grad, grads, k, end), weight, k, end, how);
            k += comptime!(how.team.size);
        }
        let mean = together::<f32>(sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let g_mean = together::<f32>(g_sum, &mut shared, team, comptime!(Join::SUM)) / count;
        let mut squares = 0.0f32;
        let mut products = 0.0f32;
        k = lane;
        while k < end {
            let centred = f32::cast_from(x[along(of_x, start, k)]) - mean;
            squares += centred * centred;
            products += centred * weighted::<E>(load::<E>(grad, of_grad, grads, k, end), weight, k, end, how);
            k += comptime!(how.team.size);
        }
        let variance = together::<f32>(squares, &mut shared, team, comptime!(Join::SUM)) / count;
        let scale = 1.0f32 / (variance + epsilon).sqrt();
        let product = together::<f32>(products, &mut shared, team, comptime!(Join::SUM)) * scale / count;
        k = lane;
        while k < end {
            let y = (f32::cast_from(x[along(of_x, start, k)]) - mean) * scale;
            let g = weighted::<E>(load::<E>(grad, of_grad, grads, k, end), weight, k, end, how);
            out[along(to, target, k)] = E::cast_from((g - g_mean - y * product) * scale);
            k += comptime!(how.team.size);
        }
    }
}

impl Kernel for LayerNormGrad {
    const NAME: &'static str = "layer_norm_grad";

    fn expand(&self, body: &mut Body) {
        let [grad, x, weight, out] = [0, 1, 2, 3].map(|at| body.array(at));
        let lines = self.lines.read(body);
        let [of_grad, of_x, to] = [0, 1, 2].map(|view| self.lines.view(body, view));
        let epsilon = body.word(self.lines.end(3));
        let scope = &mut body.scope;
        let epsilon = of_bits::expand(scope, epsilon);
        layer_norm_grad::expand::<A>(scope, grad, x, weight, out, lines, of_grad, of_x, to, epsilon, *self);
    }
}

/// See [`layer_norm_`].
pub fn layer_norm_grad_(args: LayerNormGradArgs<CubeTensor>) -> CubeTensor {
    let out = CubeTensor::empty(args.x.spec().clone(), args.x.engine());
    let lines = Lines::new(&[&args.grad, &args.x, &out], args.x.spec().shape.rank() - 1);
    if lines.count * lines.terms == 0 {
        return out;
    }
    if are_few_and_long(&lines) {
        return reference::layer_norm_grad::<Leaf>(args);
    }
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let (team, kept) = team_of(&lines);
    let kernel = LayerNormGrad { lines: lines.kind(), team, kept, weighted: weight.is_some() };
    let weight = weight.map_or_else(|| x.clone(), contiguous);
    let mut words = lines.words();
    words.push((epsilon as f32).to_bits());
    let cubes = lines.count.div_ceil(team.rows() as usize);
    launch_cubes(kernel, &[&grad, &x, &weight], &[&out], &words, cubes, CubeDim::new_1d(UNITS));
    out
}
