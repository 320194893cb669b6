use super::{Interrupter, MetricsRenderer, PlainRenderer};

/// Returns the dashboard where the standard output is a terminal that can show it, else plain lines.
pub fn default_renderer(interrupter: &Interrupter) -> Box<dyn MetricsRenderer> {
    #[cfg(feature = "tui")]
    if super::DashboardRenderer::is_supported() {
        match super::DashboardRenderer::open(interrupter.clone()) {
            Ok(dashboard) => return Box::new(dashboard),
            Err(error) => tracing::warn!("the dashboard cannot be shown: {error}"),
        }
    }
    let _ = interrupter;
    Box::new(PlainRenderer::new())
}
