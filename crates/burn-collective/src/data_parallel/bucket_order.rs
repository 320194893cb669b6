//! The order in which buckets are filled, which is the same on all ranks.

use super::buckets::{Sized, buckets};
use super::parameters::TrainedParameter;

/// Order of parameters by the time at which their gradients are ready, as the first backward pass of a model
/// found it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketOrder {
    /// Paths and shapes of the parameters, in the order of declaration.
    specs: Vec<String>,
    order: Vec<usize>,
    is_measured: bool,
}

impl BucketOrder {
    /// Returns whether the order is that of a backward pass.
    pub fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// Returns the order: indices of parameters in the order of declaration.
    pub fn indices(&self) -> &[usize] {
        &self.order
    }

    /// Keeps the order if it is that of these parameters. Else it becomes the reverse of their declaration,
    /// since the last layers have their gradients first.
    pub fn fit(&mut self, specs: &[String]) {
        if self.specs != specs {
            let order = (0..specs.len()).rev().collect();
            *self = BucketOrder { specs: specs.to_vec(), order, is_measured: false };
        }
    }

    /// Takes the order in which gradients became ready; parameters without one come last.
    pub fn measure(&mut self, ready: impl IntoIterator<Item = usize>) {
        let mut is_there = vec![false; self.specs.len()];
        let mut order = Vec::with_capacity(is_there.len());
        for index in ready.into_iter().chain(self.order.iter().copied()) {
            if is_there.get(index) == Some(&false) {
                is_there[index] = true;
                order.push(index);
            }
        }
        (self.order, self.is_measured) = (order, true);
    }

    /// Splits the parameters into buckets of one dtype and at most `limit` bytes.
    pub fn buckets(&self, parameters: &[TrainedParameter], limit: usize) -> Vec<Vec<usize>> {
        let sizes: Vec<Sized> = self.order.iter().map(|index| parameters[*index].sized(None)).collect();
        buckets(&sizes, limit).into_iter().map(|range| self.order[range].to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BucketOrder;

    #[test]
    fn order_is_the_reverse_declaration_until_it_is_measured() {
        let specs: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let mut order = BucketOrder::default();
        order.fit(&specs);
        assert_eq!((order.indices(), order.is_measured()), (&[3, 2, 1, 0][..], false));
        // Numbers that are no parameters, or come twice, come from another rank and are left out.
        order.measure([1, 9, 3, 1]);
        assert_eq!((order.indices(), order.is_measured()), (&[1, 3, 2, 0][..], true));
        order.fit(&specs);
        assert!(order.is_measured());
        order.fit(&specs[..2]);
        assert_eq!((order.indices(), order.is_measured()), (&[1, 0][..], false));
    }
}
