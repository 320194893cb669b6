use crate::module_path::ModulePath;
use crate::{PathPattern, collect};
use alloc::format;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::{AnyParam, Module, ParamMapper};
use burn_core::tensor::Backend;
use burn_derive::fallible;

/// Freezes the parameters of `module` whose paths match `pattern`, a [`PathPattern`]: they get no gradients, and
/// optimizers do not change them. PyTorch: `parameter.requires_grad_(False)`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{freeze, unfreeze};
///
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(2, 3).init(&Default::default());
/// let model = freeze(model, "weight");
/// assert!(!model.weight.is_require_grad());
/// assert!(model.bias.as_ref().unwrap().is_require_grad());
///
/// let model = unfreeze(model, "**");
/// assert!(model.weight.is_require_grad());
/// ```
///
/// # Errors
/// The pattern is not well formed, or matches no parameter.
#[fallible(config)]
pub fn try_freeze<B: Backend, M: Module<B>>(module: M, pattern: &str) -> Result<M, ConfigError> {
    set_require_grad(module, pattern, false, FieldCheck::of("freeze"))
}

/// Lets gradients and optimizers reach the parameters of `module` whose paths match `pattern`, a [`PathPattern`]. PyTorch:
/// `parameter.requires_grad_()`.
///
/// # Errors
/// The pattern is not well formed, or matches no parameter.
#[fallible(config)]
pub fn try_unfreeze<B: Backend, M: Module<B>>(module: M, pattern: &str) -> Result<M, ConfigError> {
    set_require_grad(module, pattern, true, FieldCheck::of("unfreeze"))
}

fn set_require_grad<B: Backend, M: Module<B>>(
    mut module: M,
    pattern: &str,
    require_grad: bool,
    check: FieldCheck,
) -> Result<M, ConfigError> {
    let mut mapper = RequireGrad {
        pattern: PathPattern::try_new(pattern)?,
        path: ModulePath::default(),
        require_grad,
        found: false,
    };
    module.map_params(&mut mapper);
    let expected = || {
        let paths = collect::paths(&collect::parameters(&module));
        format!("a pattern of one of the parameters {paths}")
    };
    if !mapper.found {
        check.ensure(false, "pattern", &pattern, &expected())?;
    }
    Ok(module)
}

struct RequireGrad {
    pattern: PathPattern,
    path: ModulePath,
    require_grad: bool,
    found: bool,
}

impl<B: Backend> ParamMapper<B> for RequireGrad {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        if self.pattern.matches(self.path.as_str()) {
            self.found = true;
            param.set_require_grad(self.require_grad);
        }
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.enter(name);
    }
    fn exit_module(&mut self, name: &str, _container: &str) {
        self.path.exit(name);
    }
}
