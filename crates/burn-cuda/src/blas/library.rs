use super::candidates::{Calls, Candidates};
use super::plan::{Key, Plan, data_type};
use super::product::{DeviceRange, Product};
use super::status::check;
use super::tf32::is_tf32_allowed;
use crate::driver::Context;
use crate::recent::Recent;
use crate::{CudaDevice, CudaError, Queue};
use burn_backend::{DType, kernels};
use burn_cubecl::{Autotune, Tuner};
use cubecl::server::Handle;
use cudarc::cublaslt::result;
use cudarc::cublaslt::sys;
use std::fmt;
use std::sync::{Arc, Mutex};

/// Plans that are kept: those of some hundred layers with their gradients.
const MOST: usize = 1024;

/// Reason of the library for rejecting a product.
type PlanError = Arc<str>;

/// cuBLASLt on one device.
pub struct Blas {
    calls: Calls,
    /// Plans by key, or the reason why the library rejects the product.
    plans: Mutex<Recent<Key, Result<Arc<Plan>, PlanError>>>,
}

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blas").field("device", &self.calls.context.device).finish_non_exhaustive()
    }
}

impl Blas {
    /// Opens the library, with [`WORKSPACE`](super::WORKSPACE) bytes of device memory.
    ///
    /// # Errors
    /// When it cannot be loaded or does not know the device.
    pub fn new(device: CudaDevice, workspace: Handle) -> Result<Self, CudaError> {
        // SAFETY: this loads the library, whose initialisers are sound.
        if !unsafe { sys::is_culib_present() } {
            let cause = "the library (libcublasLt) cannot be loaded".to_string();
            return Err(CudaError::Library { library: "cuBLASLt", call: "open", cause });
        }
        let context = Context::open(device)?;
        let handle = check("cublasLtCreate", result::create_handle())?;
        let calls = Calls::new(context, handle, Queue::new(device), workspace);
        Ok(Blas { calls, plans: Mutex::new(Recent::new(MOST)) })
    }

    /// Enqueues the product on the stream, with the algorithm that the library's heuristic recommends.
    ///
    /// # Errors
    /// The reason of the library, when it cannot compute the product.
    pub fn run(
        &self,
        product: Product,
        lhs: &DeviceRange,
        rhs: &DeviceRange,
        out: &DeviceRange,
        bias: Option<&Handle>,
    ) -> Result<(), PlanError> {
        self.run_chosen(product, [lhs, rhs, out], bias, None)
    }

    /// As [`run`](Self::run), by the algorithm that a tuner chooses, if it is asked for [`Autotune::Full`].
    pub(crate) fn run_chosen(
        &self,
        product: Product,
        [lhs, rhs, out]: [&DeviceRange; 3],
        bias: Option<&Handle>,
        tuner: Option<&'static Tuner>,
    ) -> Result<(), PlanError> {
        let tuner = tuner.filter(|_| Autotune::current() == Autotune::Full);
        let data = data_type(product.dtype).ok_or("no such element type")?;
        let product = product.folded();
        let key = Key {
            dtype: product.dtype,
            tf32: product.dtype == DType::F32 && is_tf32_allowed(),
            sizes: [product.batch, product.rows, product.cols, product.depth],
            lhs: product.lhs,
            rhs: product.rhs,
            accumulates: product.beta != 0.0,
            activation: product.activation,
            bias: bias.is_some(),
            alignments: [lhs.alignment(), rhs.alignment(), out.alignment()],
            several: tuner.is_some(),
        };
        let plan = self.plan(key, data)?;
        let calls = &self.calls;
        let places = [lhs.clone(), rhs.clone(), out.clone()];
        let chosen = match tuner {
            Some(tuner) if plan.algorithms.len() > 1 => {
                Some(tuner.choose(&Candidates { key, product, plan: &plan, calls }))
            }
            Some(_) | None => None,
        };
        calls.put(&plan, chosen.map_or(0, |chosen| chosen.candidate), product, places, bias);
        kernels::ran(|| format!("cuBLASLt of {} algorithms", plan.algorithms.len()));
        kernels::explain(|| chosen.map_or("by its heuristic".into(), |chosen| chosen.why.to_string()));
        Ok(())
    }

    fn plan(&self, key: Key, data: sys::cudaDataType) -> Result<Arc<Plan>, PlanError> {
        let mut plans = self.plans.lock().expect("nobody panics while it is held");
        if let Some(plan) = plans.get(&key) {
            return plan.clone();
        }
        let bound = self.calls.context.bind();
        let plan = bound.and_then(|()| Plan::new(self.calls.handle(), &key, data));
        let plan = plan.map(Arc::new).map_err(|error| Arc::from(error.to_string()));
        // Calls copy what they need of a plan, and those that wait in the queue hold it.
        plans.insert(key, plan.clone());
        plan
    }
}
