//! Prints the table of the book that says where operations depart from PyTorch.

fn main() {
    print!("{}", burn_conformance::support::departures());
}
