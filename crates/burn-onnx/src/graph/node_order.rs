//! Nodes in an order in which each comes after those that it needs.

use super::{GraphDefinition, NodeDefinition};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

/// The most nodes of a cycle that an error names.
const MOST_NAMED: usize = 8;

/// Sorts nodes by what they need beside the names in `given`. Those that could come in several orders keep
/// that of the file.
///
/// # Errors
/// Names the nodes of a cycle.
pub(super) fn sorted(
    nodes: Vec<NodeDefinition>,
    given: &HashSet<&str>,
) -> Result<Vec<NodeDefinition>, String> {
    let needed = needed_nodes(&nodes, given);
    if needed.iter().enumerate().all(|(place, needed)| needed.iter().all(|&other| other < place)) {
        return Ok(nodes);
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut missing: Vec<usize> = Vec::with_capacity(nodes.len());
    for (place, needed) in needed.iter().enumerate() {
        missing.push(needed.len());
        for &other in needed {
            users[other].push(place);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|&place| missing[place] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(place)) = ready.pop() {
        order.push(place);
        for &user in &users[place] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    if order.len() < nodes.len() {
        return Err(cycle(&nodes, &needed, &missing));
    }
    let mut nodes: Vec<Option<NodeDefinition>> = nodes.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|place| nodes[place].take()).collect())
}

/// For each node the indices of others whose outputs it takes, or a graph in its attributes.
fn needed_nodes(nodes: &[NodeDefinition], given: &HashSet<&str>) -> Vec<BTreeSet<usize>> {
    // If several outputs share a name, a node takes the last one before it, then a graph input, then
    // that of the first one after it.
    let mut givers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, node) in nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            givers.entry(name).or_default().push(place);
        }
    }
    let needed = |(place, node): (usize, &NodeDefinition)| {
        let mut names = HashSet::new();
        taken_names(node, &mut names);
        let giver = |name: &str| {
            let givers = givers.get(name)?;
            let before = givers.partition_point(|&giver| giver < place);
            if before == 0 && given.contains(name) {
                return None;
            }
            givers.get(before.saturating_sub(1)).copied().filter(|&giver| giver != place)
        };
        names.into_iter().filter_map(giver).collect()
    };
    nodes.iter().enumerate().map(needed).collect()
}

/// Names that a node takes from the graph around it.
fn taken_names<'a>(node: &'a NodeDefinition, names: &mut HashSet<&'a str>) {
    names.extend(node.inputs.iter().filter(|name| !name.is_empty()).map(|name| &name[..]));
    node.graphs().for_each(|graph| outer_names(graph, names));
}

fn outer_names<'a>(graph: &'a GraphDefinition, names: &mut HashSet<&'a str>) {
    let mut taken = HashSet::new();
    graph.nodes.iter().for_each(|node| taken_names(node, &mut taken));
    taken.extend(graph.outputs.iter().map(|output| &output.name[..]));
    let nodes = graph.nodes.iter().flat_map(|node| node.outputs.iter().map(|name| &name[..]));
    let inputs = graph.inputs.iter().map(|input| &input.name[..]);
    let constants = graph.initializers.iter().map(|constant| &constant.name[..]);
    for own in nodes.chain(inputs).chain(constants) {
        taken.remove(own);
    }
    names.extend(taken);
}

/// The error of nodes that wait for each other.
fn cycle(nodes: &[NodeDefinition], needed: &[BTreeSet<usize>], missing: &[usize]) -> String {
    let waits = |place: usize| missing[place] > 0;
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut next = (0..nodes.len()).find(|&place| waits(place));
    while let Some(place) = next {
        if let Some(first) = seen.insert(place, path.len()) {
            path.drain(..first);
            break;
        }
        path.push(place);
        next = needed[place].iter().copied().find(|&other| waits(other));
    }
    path.reverse();
    let mut names: Vec<String> =
        path.iter().take(MOST_NAMED).map(|&place| format!("`{}`", nodes[place].name)).collect();
    if path.len() > MOST_NAMED {
        names.push(format!("{} more", path.len() - MOST_NAMED));
    }
    format!(
        "the nodes {} need each other in a cycle; expected an order in which each comes after those it needs",
        names.join(", ")
    )
}
