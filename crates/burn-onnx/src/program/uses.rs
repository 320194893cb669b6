//! Which tensors and sizes a program uses.

use super::Program;
use crate::builder::{Block, Statement};
use crate::calls::Operand;
use crate::value::{Expr, TensorId};
use std::collections::HashSet;

impl Operand {
    /// The tensors of the operand.
    pub(crate) fn tensor_ids(&self) -> Vec<TensorId> {
        match self {
            Operand::Tensor(tensor) => vec![tensor.id],
            Operand::Tensors(tensors) => tensors.iter().map(|tensor| tensor.id).collect(),
            _ => Vec::new(),
        }
    }

    /// The numbers of the operand.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Operand::Number(number) => vec![number],
            Operand::Numbers(numbers) => numbers.iter().collect(),
            Operand::Ranges(ranges) => {
                ranges.iter().flat_map(|range| std::iter::once(&range.start).chain(&range.end)).collect()
            }
            Operand::Pairs(pairs) => pairs.iter().flat_map(|(before, after)| [before, after]).collect(),
            Operand::Tensor(_)
            | Operand::Absent
            | Operand::Tensors(_)
            | Operand::Flag(_)
            | Operand::Type(_) => Vec::new(),
        }
    }
}

impl Expr {
    /// Calls `visit` with every size and element that the expression has.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Expr::Dim(..) | Expr::Element(..) => visit(self),
            Expr::Apply(call) => call.1.iter().for_each(|arg| arg.visit(visit)),
            Expr::Int(_) | Expr::Float(_) | Expr::Bool(_) => {}
        }
    }
}

impl Statement {
    /// The tensors that the statement makes.
    pub(crate) fn results(&self) -> Vec<TensorId> {
        match self {
            Statement::Call { results, .. } | Statement::Branch { results, .. } => {
                results.iter().map(|tensor| tensor.id).collect()
            }
            Statement::Constant { result, .. } => vec![result.id],
            Statement::Read { .. } => Vec::new(),
        }
    }

    /// The tensors that the statement takes.
    pub(crate) fn operands(&self) -> Vec<TensorId> {
        match self {
            Statement::Call { operands, .. } => operands.iter().flat_map(Operand::tensor_ids).collect(),
            Statement::Constant { .. } => Vec::new(),
            Statement::Read { tensor } => vec![tensor.id],
            Statement::Branch { blocks, .. } => blocks.iter().flat_map(Block::operands).collect(),
        }
    }

    /// Calls `visit` with every size and element that the statement uses.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Statement::Call { operands, .. } => {
                operands.iter().flat_map(Operand::exprs).for_each(|expr| expr.visit(visit));
            }
            Statement::Branch { condition, blocks, .. } => {
                condition.visit(visit);
                blocks
                    .iter()
                    .flat_map(|block| &block.statements)
                    .for_each(|statement| statement.visit(visit));
            }
            Statement::Constant { .. } | Statement::Read { .. } => {}
        }
    }
}

impl Block {
    /// The tensors from outside that the block takes.
    fn operands(&self) -> Vec<TensorId> {
        let own: HashSet<TensorId> = self.statements.iter().flat_map(Statement::results).collect();
        let results = self.results.iter().map(|tensor| tensor.id);
        let all = self.statements.iter().flat_map(Statement::operands).chain(results);
        all.filter(|id| !own.contains(id)).collect()
    }
}

impl Program {
    /// Removes statements whose results nothing uses.
    pub(crate) fn remove_unused(&mut self) {
        let used = self.outputs.iter().map(|output| output.tensor.id).collect();
        self.statements = needed(std::mem::take(&mut self.statements), used);
    }
}

/// The statements whose results are used, here or later.
fn needed(statements: Vec<Statement>, mut used: HashSet<TensorId>) -> Vec<Statement> {
    let mut read: HashSet<TensorId> = HashSet::new();
    let mut kept = Vec::with_capacity(statements.len());
    for mut statement in statements.into_iter().rev() {
        let is_used = match &statement {
            Statement::Read { tensor } => read.contains(&tensor.id),
            other => other.results().iter().any(|id| used.contains(id)),
        };
        if !is_used {
            continue;
        }
        if let Statement::Branch { blocks, .. } = &mut statement {
            for block in blocks {
                let results = block.results.iter().map(|tensor| tensor.id).collect();
                block.statements = needed(std::mem::take(&mut block.statements), results);
            }
        }
        used.extend(statement.operands());
        statement.visit(&mut |expr| match expr {
            Expr::Dim(id, _) => drop(used.insert(*id)),
            Expr::Element(id, _) => drop(read.insert(*id)),
            _ => {}
        });
        kept.push(statement);
    }
    kept.reverse();
    kept
}
