//! Uses of tensors and sizes in a program.

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
            Statement::Loop(own) => own.results.iter().map(|tensor| tensor.id).collect(),
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
            Statement::Loop(own) => {
                let variables: HashSet<TensorId> = own.variables.iter().map(|tensor| tensor.id).collect();
                let inner = own.body.operands().into_iter().filter(|id| !variables.contains(id));
                own.initial.iter().map(|tensor| tensor.id).chain(inner).collect()
            }
        }
    }

    /// The blocks of a branch or of a loop.
    pub(crate) fn blocks(&self) -> &[Block] {
        match self {
            Statement::Branch { blocks, .. } => blocks,
            Statement::Loop(own) => std::slice::from_ref(&own.body),
            Statement::Call { .. } | Statement::Constant { .. } | Statement::Read { .. } => &[],
        }
    }

    /// The blocks of a branch or of a loop.
    pub(crate) fn blocks_mut(&mut self) -> &mut [Block] {
        match self {
            Statement::Branch { blocks, .. } => blocks,
            Statement::Loop(own) => std::slice::from_mut(&mut own.body),
            Statement::Call { .. } | Statement::Constant { .. } | Statement::Read { .. } => &mut [],
        }
    }

    /// Calls `visit` with this statement and those of its blocks.
    #[cfg(feature = "generate")]
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Statement)) {
        visit(self);
        self.blocks().iter().flat_map(|block| &block.statements).for_each(|inner| inner.walk(visit));
    }

    /// Calls `visit` with every size and element that the statement uses.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Statement::Call { operands, .. } => {
                operands.iter().flat_map(Operand::exprs).for_each(|expr| expr.visit(visit));
            }
            Statement::Branch { condition, .. } => condition.visit(visit),
            Statement::Loop(own) => {
                own.limit.iter().for_each(|limit| limit.visit(visit));
                own.condition.visit(visit);
            }
            Statement::Constant { .. } | Statement::Read { .. } => {}
        }
        self.blocks().iter().flat_map(|block| &block.statements).for_each(|statement| statement.visit(visit));
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
        self.statements = needed(std::mem::take(&mut self.statements), Needed { used, read: HashSet::new() });
    }
}

/// Tensors that later statements need: as tensors, or as numbers read to the host.
#[derive(Default)]
struct Needed {
    used: HashSet<TensorId>,
    read: HashSet<TensorId>,
}

impl Needed {
    fn add(&mut self, expr: &Expr) {
        match expr {
            Expr::Dim(id, _) => drop(self.used.insert(*id)),
            Expr::Element(id, _) => drop(self.read.insert(*id)),
            _ => {}
        }
    }
}

/// The statements whose results are used, here or later.
fn needed(statements: Vec<Statement>, mut later: Needed) -> Vec<Statement> {
    let mut kept = Vec::with_capacity(statements.len());
    for mut statement in statements.into_iter().rev() {
        let is_used = match &statement {
            Statement::Read { tensor } => later.read.contains(&tensor.id),
            other => other.results().iter().any(|id| later.used.contains(id)),
        };
        if !is_used {
            continue;
        }
        let mut of_block = Needed::default();
        if let Statement::Loop(own) = &statement {
            own.condition.visit(&mut |expr| of_block.add(expr));
        }
        for block in statement.blocks_mut() {
            let mut own = std::mem::take(&mut of_block);
            own.used.extend(block.results.iter().map(|tensor| tensor.id));
            block.statements = needed(std::mem::take(&mut block.statements), own);
        }
        later.used.extend(statement.operands());
        statement.visit(&mut |expr| later.add(expr));
        kept.push(statement);
    }
    kept.reverse();
    kept
}
