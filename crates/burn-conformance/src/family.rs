use burn_backend::Operation;

/// Writes [`Family`] from the list of operations.
macro_rules! families {
    (
        others { $($(#[$doc:meta])* $other:ident),* $(,)? }
        operations { $($test:ident $variant:ident = $family:ident, $module:ident::$checks:ident $fields:tt;)* }
    ) => {
        /// Operation that is checked by one test of the suite and has one row of the support table, or
        /// another group of checks.
        ///
        /// The variants up to `RecurrentGrad` are those of [`Operation`], in its order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Family {
            $($variant,)*
            $($(#[$doc])* $other,)*
        }

        impl Family {
            /// All families.
            pub const ALL: [Family; [$(Family::$variant,)* $(Family::$other),*].len()] =
                [$(Family::$variant,)* $(Family::$other),*];

            /// Number of those with a variant of [`Operation`].
            pub const OPERATIONS: usize = [$(Family::$variant),*].len();

            /// Returns the family of a call. A new variant of [`Operation`] does not compile here until it is
            /// in the list of operations, and then not until it has checks.
            pub fn of<T>(op: &Operation<T>) -> Family {
                match op {
                    $(Operation::$family(burn_backend::$family::$variant { .. }) => Family::$variant,)*
                }
            }
        }
    };
}

crate::each_operation!(families {
    others {
        /// Which element types there are, and that values come back as they went in.
        DTypes,
        /// `full` and `range`.
        Creation,
        /// Seeds, ranges and moments of random tensors.
        Random,
        /// Coordinates of the true elements.
        Argwhere,
        /// Results that are not read, operands that die early.
        Dropped,
        /// Threads that share tensors, finished or not.
        Threads,
    }
});
