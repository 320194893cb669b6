use crate::error::OnnxError;
use crate::graph::{FunctionDefinition, Model, NodeDefinition};
use std::collections::HashMap;
use std::sync::Arc;

/// Checks how many nodes a model has and how deep they are nested, functions taken apart.
///
/// # Errors
/// When there are more than [`Limits`](crate::Limits) of the model say.
pub fn check_limits(model: &Model) -> Result<(), OnnxError> {
    let mut sizes = Sizes { model, functions: HashMap::new() };
    let size = sizes.of_nodes(&model.graph.nodes, 0)?;
    let most = model.limits.nodes;
    if size.nodes > most {
        return Err(OnnxError::Limit {
            limit: "nodes",
            node: None,
            most,
            found: size.nodes,
            reason: format!(
                "{}: the model has too many nodes, those of functions counted once for each call; expected at most {most}, got {}. \
                 Raise `Limits::nodes` if the model is trusted",
                model.origin, size.nodes
            ),
        });
    }
    Ok(())
}

/// Number of nodes, and levels of graphs and calls below.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    nodes: u64,
    depth: usize,
}

/// Sizes of functions are computed once, however often they are called.
struct Sizes<'a> {
    model: &'a Model,
    functions: HashMap<*const FunctionDefinition, Size>,
}

impl<'a> Sizes<'a> {
    /// The size of nodes that are `depth` levels deep.
    fn of_nodes(&mut self, nodes: &'a [NodeDefinition], depth: usize) -> Result<Size, OnnxError> {
        let most = self.model.limits.depth;
        let mut size = Size::default();
        for node in nodes {
            let mut inner = Vec::new();
            for graph in node.graphs() {
                self.check_depth(depth + 1, node)?;
                inner.push(self.of_nodes(&graph.nodes, depth + 1)?);
            }
            if let Some(function) = self.model.functions.get(&(node.domain.clone(), node.operator.clone())) {
                self.check_depth(depth + 1, node)?;
                inner.push(self.of_function(function, depth + 1)?);
            }
            size.nodes = size.nodes.saturating_add(1);
            for inner in inner {
                size.nodes = size.nodes.saturating_add(inner.nodes);
                size.depth = size.depth.max(inner.depth + 1);
            }
            self.check_depth(depth.saturating_add(size.depth).min(most.saturating_add(1)), node)?;
        }
        Ok(size)
    }

    fn of_function(
        &mut self,
        function: &'a Arc<FunctionDefinition>,
        depth: usize,
    ) -> Result<Size, OnnxError> {
        let key = Arc::as_ptr(function);
        if let Some(size) = self.functions.get(&key) {
            return Ok(*size);
        }
        let size = self.of_nodes(&function.nodes, depth)?;
        self.functions.insert(key, size);
        Ok(size)
    }

    fn check_depth(&self, depth: usize, node: &NodeDefinition) -> Result<(), OnnxError> {
        let most = self.model.limits.depth;
        if depth <= most {
            return Ok(());
        }
        Err(OnnxError::Limit {
            limit: "depth",
            node: Some(node.name.clone()),
            most: most as u64,
            found: depth as u64,
            reason: format!(
                "{}: node `{}` ({}): graphs and functions are nested too deep; expected at most {most} levels. Raise `Limits::depth` \
                 if the model is trusted",
                self.model.origin,
                node.name,
                node.qualified_operator()
            ),
        })
    }
}
