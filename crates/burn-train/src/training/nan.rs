//! Where numbers are NaN: in what metrics say, and in what a checkpoint would hold.

use crate::metric::NumericEntry;
use crate::renderer::MetricState;
use burn_core::record::Node;

/// Returns the name of the metric if its batch, or its value so far, is NaN.
///
/// A batch that counts nothing has no value, and is not looked at.
pub(super) fn nan_metric(state: &MetricState) -> Option<&str> {
    let MetricState::Numeric(entry, value) = state else { return None };
    let is_nan = match entry.serialized.parse::<NumericEntry>() {
        Ok(batch) => batch.count > 0 && (batch.value.is_nan() || value.is_nan()),
        Err(_) => value.is_nan(),
    };
    is_nan.then_some(entry.name.as_str())
}

/// Returns the key of the first float in a record that is NaN.
pub(super) fn nan_key(tree: &Node) -> Option<String> {
    let join =
        |key: &str, inner: String| if inner.is_empty() { key.to_string() } else { format!("{key}.{inner}") };
    match tree {
        Node::Float(number) => number.is_nan().then(String::new),
        Node::Tensor(data) => {
            (data.dtype.is_float() && data.iter::<f64>().any(f64::is_nan)).then(String::new)
        }
        Node::List(items) => {
            let mut keyed = items.iter().enumerate();
            keyed.find_map(|(index, item)| Some(join(&index.to_string(), nan_key(item)?)))
        }
        Node::Map(fields) => fields.iter().find_map(|(key, value)| Some(join(key, nan_key(value)?))),
        // No module gives these.
        Node::Weights(_) => None,
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::UInt(_) | Node::Text(_) | Node::Bytes(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::MetricEntry;
    use burn_core::tensor::TensorData;

    #[test]
    fn a_batch_that_counts_nothing_is_not_looked_at() {
        let state = |line: &str, value| MetricState::Numeric(MetricEntry::new("Loss", "", line), value);
        assert_eq!(nan_metric(&state("NaN,1", 2.0)), Some("Loss"));
        assert_eq!(nan_metric(&state("1,1", f64::NAN)), Some("Loss"));
        assert_eq!(nan_metric(&state("a line of its own", f64::NAN)), Some("Loss"));
        assert_eq!(nan_metric(&state("NaN,0", f64::NAN)), None);
        assert_eq!(nan_metric(&state("inf,1", f64::INFINITY)), None);
        assert_eq!(nan_metric(&MetricState::Generic(MetricEntry::new("Text", "", "NaN"))), None);
    }

    #[test]
    fn the_key_of_a_nan_is_its_path() {
        let tensor = |value: f32| Node::Tensor(TensorData::from([1.0, value]));
        let layers =
            |value| Node::List(vec![tensor(f32::INFINITY), Node::Map(vec![("bias".into(), tensor(value))])]);
        let model = |value| {
            Node::Map(vec![("name".into(), Node::Text("NaN".into())), ("layers".into(), layers(value))])
        };
        assert_eq!(nan_key(&model(f32::NAN)), Some("layers.1.bias".into()));
        assert_eq!(nan_key(&model(0.0)), None);
        assert_eq!(nan_key(&Node::Tensor(TensorData::from([i32::MAX]))), None);
    }
}
