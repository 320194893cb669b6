use burn_backend::{QuantizationScheme, Shape};

/// Assignment of scales to elements: element `i` has scale `i / step % count`.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    step: usize,
    count: usize,
}

impl Groups {
    pub fn new(scheme: QuantizationScheme, shape: &Shape) -> Self {
        let (step, count) = scheme.grid(shape);
        Groups { step, count }
    }

    /// Fills `out` with the group's value of `list` for each element from `start` on.
    pub fn fill<E: Copy>(self, list: &[E], start: usize, out: &mut [E]) {
        let Groups { step, count } = self;
        let mut done = 0;
        while done < out.len() {
            let at = start + done;
            let group = at / step % count;
            let left = out.len() - done;
            if step == 1 {
                let size = left.min(count - group);
                out[done..done + size].copy_from_slice(&list[group..group + size]);
                done += size;
            } else {
                let size = if count == 1 { left } else { left.min(step - at % step) };
                out[done..done + size].fill(list[group]);
                done += size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn every_element_gets_what_its_group_has() {
        for (step, count) in [(1, 1), (1, 7), (5, 1), (5, 3), (64, 2), (1, 600)] {
            let list: alloc::vec::Vec<usize> = (0..count).map(|group| 100 + group).collect();
            for start in [0, 1, 13, 1000] {
                let mut out = [0; 90];
                Groups { step, count }.fill(&list, start, &mut out);
                for (k, found) in out.into_iter().enumerate() {
                    assert_eq!(found, 100 + (start + k) / step % count, "{step} {count} {start} {k}");
                }
            }
        }
    }
}
