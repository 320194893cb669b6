//! Blocks that run by a condition.

use super::Block;
use super::call::UNKNOWN;
use super::repeat::outer;
use super::{Builder, Statement};
use crate::error::{Outcome, fail, require};
use crate::value::{Expr, OnnxValue, Spec, Tensor, TensorId};

/// Makes the calls of a block.
type MakeBlock<'a> = &'a mut dyn FnMut(&mut Builder) -> Outcome<Vec<OnnxValue>>;

impl Builder {
    /// Builds a branch: the values of `then` if the condition holds, else those of `otherwise`. A known
    /// condition is resolved now; any other is recorded with both blocks, which must give tensors of the same
    /// ranks and element types.
    ///
    /// # Errors
    /// When the blocks give different values.
    pub fn branch(
        &mut self,
        condition: &Expr,
        then: MakeBlock<'_>,
        otherwise: MakeBlock<'_>,
    ) -> Outcome<Vec<OnnxValue>> {
        match condition {
            Expr::Bool(true) => return then(self),
            Expr::Bool(false) => return otherwise(self),
            Expr::Int(_) | Expr::Float(_) => fail!("the condition is {condition:?}, not a boolean"),
            Expr::Dim(..) | Expr::Element(..) | Expr::Apply(_) => {}
        }
        let first = TensorId(self.tensors);
        let blocks = [self.block(then)?, self.block(otherwise)?];
        let [then, otherwise] = &blocks;
        require!(
            then.results.len() == otherwise.results.len(),
            "the branches give {} and {} values",
            then.results.len(),
            otherwise.results.len()
        );
        let mut results = Vec::with_capacity(then.results.len());
        for (a, b) in then.results.iter().zip(&otherwise.results) {
            let spec = common(a, b, first)?;
            results.push(self.declare_result(spec));
        }
        let values = results.iter().cloned().map(OnnxValue::Tensor).collect();
        self.statements.push(Statement::Branch { condition: condition.clone(), blocks, results });
        Ok(values)
    }

    /// Records the calls of a block.
    pub(super) fn block(&mut self, make: MakeBlock<'_>) -> Outcome<Block> {
        let outside = std::mem::take(&mut self.statements);
        let read = self.read.clone();
        let results = make(self).and_then(|values| values.iter().map(|value| self.tensor(value)).collect());
        // Numbers that the block reads are only there when it runs; constants are always there.
        self.read = read;
        let own = std::mem::replace(&mut self.statements, outside);
        let (constants, statements) =
            own.into_iter().partition(|statement| matches!(statement, Statement::Constant { .. }));
        let constants: Vec<Statement> = constants;
        self.statements.extend(constants);
        Ok(Block { statements, results: results? })
    }
}

/// The spec of a value that is one of two; sizes that differ, or that only a block knows, are those of the
/// result.
fn common(a: &Tensor, b: &Tensor, first: TensorId) -> Outcome<Spec> {
    let (rank, other) = (a.rank(), b.rank());
    require!(
        rank == other,
        "the branches give tensors of different ranks; expected one rank, got {rank} and {other}. Where the condition depends on shapes, \
         fix those of the inputs: `Graph::with_input_shapes` or `ModelGen::input_shape`"
    );
    let (dtype, other) = (a.dtype(), b.dtype());
    require!(
        dtype == other,
        "the branches give tensors of different element types; expected one type, got {dtype} and {other}"
    );
    let outer = outer(first);
    let dims = a.held_dims().iter().zip(b.held_dims()).map(|(a, b)| if a == b { outer(a) } else { UNKNOWN });
    Ok(Spec { dtype: a.dtype(), dims: dims.collect(), is_scalar: a.is_scalar() })
}
