use super::program::ProgramStep;
use burn_backend::Register;

/// Analysis of the registers of a program with folds.
pub struct Passes {
    /// Whether each register varies within a row.
    pub varies: Vec<bool>,
    /// Number of successive folds before each register.
    pub pass: Vec<usize>,
}

impl Passes {
    pub fn new(steps: &[ProgramStep], varies: impl Iterator<Item = bool>) -> Self {
        let varies: Vec<bool> = varies.collect();
        let mut passes = Passes { pass: vec![0; varies.len()], varies };
        for step in steps {
            let pass = step.operands().map(|r| passes.pass[r]).max().unwrap_or(0);
            let varies = step.operands().any(|r| passes.varies[r]);
            let is_fold = matches!(step, ProgramStep::Fold { .. });
            passes.pass.push(pass + usize::from(is_fold));
            passes.varies.push(varies && !is_fold);
        }
        passes
    }

    /// Returns the maximum number of values per position in a row that are kept between two passes.
    pub fn waiting(&self, steps: &[ProgramStep], outputs: &[(Register, bool)]) -> usize {
        let inputs = self.pass.len() - steps.len();
        let mut last = self.pass.clone();
        for (at, step) in steps.iter().enumerate() {
            // A fold reads in the pass before its result.
            let pass = self.pass[inputs + at] - usize::from(matches!(step, ProgramStep::Fold { .. }));
            step.operands().for_each(|r| last[r] = last[r].max(pass));
        }
        let end = self.pass.iter().max().copied().unwrap_or(0);
        outputs
            .iter()
            .for_each(|&(r, _)| last[usize::from(r)] = last[usize::from(r)].max(self.pass[usize::from(r)]));
        let lives = |pass: usize| {
            (0..last.len()).filter(|&r| self.varies[r] && self.pass[r] < pass && last[r] >= pass).count()
        };
        (1..=end).map(lives).max().unwrap_or(0)
    }

    /// Returns by input whether more than one pass reads it, where no pass keeps what it computed.
    pub fn read_again(&self, steps: &[ProgramStep], outputs: &[(Register, bool)]) -> Vec<bool> {
        let inputs = self.pass.len() - steps.len();
        let mut readers = vec![0; inputs];
        for pass in 0..=self.pass.iter().max().copied().unwrap_or(0) {
            let mut needed = vec![false; self.pass.len()];
            let wholes = outputs.iter().filter(|(_, is_whole)| *is_whole).map(|&(r, _)| usize::from(r));
            let folded = steps.iter().filter_map(|step| {
                let ProgramStep::Fold { x, .. } = *step else { return None };
                Some(usize::from(x))
            });
            wholes.chain(folded).filter(|&r| self.pass[r] == pass).for_each(|r| needed[r] = true);
            for (at, step) in steps.iter().enumerate().rev() {
                if needed[inputs + at] && self.varies[inputs + at] {
                    step.operands().for_each(|r| needed[r] = true);
                }
            }
            readers.iter_mut().zip(&needed).for_each(|(count, needed)| *count += usize::from(*needed));
        }
        (0..inputs).map(|r| self.varies[r] && readers[r] > 1).collect()
    }
}
