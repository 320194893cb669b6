//! The file of a model around the body of its `forward`.

use super::documentation::{CodeSpan, DocLine};
use super::imports::{Words, imports};
use super::loading::loading;
use super::source::{Options, Writer, tuple};
use super::weights::tensor_type;
use crate::value::{Expr, Tensor, TensorId};
use burn_core::record::Node;
use burn_ir::TensorData;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Writer<'_> {
    pub(super) fn file(
        &self,
        inputs: &[TokenStream],
        outputs: &[TokenStream],
        options: &Options<'_>,
    ) -> TokenStream {
        let (program, lines) = (self.program, &self.lines);
        let mut body = quote!(#(#lines)*);
        if Words::of(&body).has("device") {
            let device = match program.inputs.first().map(|(_, tensor)| &self.tensors[&tensor.id]) {
                Some(name) => quote!(&#name.device()),
                None => quote!(&B::Device::default()),
            };
            body = quote!(let device = #device; #body);
        }
        let result = tuple(outputs);
        let types: Vec<TokenStream> = program
            .outputs
            .iter()
            .map(|output| tensor_type(output.tensor.dtype(), output.tensor.held_dims().len()))
            .collect();
        let output_type = tuple(&types);
        let (fields, inits) = self.fields();
        let device =
            if Words::of(&inits).has("device") { format_ident!("device") } else { format_ident!("_device") };
        // A value that the last iteration sets may not be read.
        let allowed = self.has_loop.then(|| quote!(, unused_assignments));
        let count: usize = self.fields.iter().map(|field| parameters(&field.record)).sum();
        let title = DocLine::new(format!("Model of {}, {count} parameters.", options.title));
        let words = Words::of(&quote!(#body #fields #inits #(#inputs)* #output_type));
        let (imports, loading) = (imports(&words, &self.imports), loading(options));
        let documentation = self.forward_documentation();
        quote! {
            #imports

            #title
            #[derive(Module, Debug)]
            pub struct Model<B: Backend> { #fields }

            #loading

            impl<B: Backend> Model<B> {
                /// Makes the model with random weights, which take no memory before their first use.
                pub fn new(#device: &B::Device) -> Self { Model { #inits } }

                #(#documentation)*
                #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity #allowed)]
                pub fn forward(&self, #(#inputs),*) -> #output_type { #body #result }
            }
        }
    }

    /// Fields of the model, and their values in `new`.
    fn fields(&self) -> (TokenStream, TokenStream) {
        let (mut fields, mut inits) = (TokenStream::new(), TokenStream::new());
        for field in &self.fields {
            let (name, ty, init, documentation) =
                (&field.name, &field.type_tokens, &field.init, &field.documentation);
            fields.extend(quote!(#documentation pub #name: #ty,));
            inits.extend(quote!(#name: #init,));
        }
        if self.fields.is_empty() {
            fields = quote!(phantom: core::marker::PhantomData<B>,);
            inits = quote!(phantom: core::marker::PhantomData,);
        }
        (fields, inits)
    }

    fn forward_documentation(&self) -> Vec<DocLine> {
        let mut lines: Vec<DocLine> =
            ["Computes the outputs of the model.", "", "Inputs:", ""].map(DocLine::new).into();
        let inputs = self.program.inputs.iter();
        lines.extend(inputs.map(|(name, tensor)| self.tensor_documentation(name, tensor)));
        lines.extend(["", "Outputs:", ""].map(DocLine::new));
        let outputs = self.program.outputs.iter();
        lines.extend(outputs.map(|output| self.tensor_documentation(&output.name, &output.tensor)));
        lines
    }

    fn tensor_documentation(&self, name: &str, tensor: &Tensor) -> DocLine {
        let dims: Vec<String> =
            tensor.dims().iter().enumerate().map(|(d, dim)| self.size_name(dim, (tensor.id, d))).collect();
        let what = if tensor.is_scalar() {
            "one number".into()
        } else {
            CodeSpan::new(&format!("[{}]", dims.join(", "))).to_string()
        };
        DocLine::new(format!("- {}: {what}, {}", CodeSpan::new(name), tensor.dtype()))
    }

    /// A known size, the name of a size of an input, the name that the dimension itself has, or `?`.
    fn size_name(&self, size: &Expr, own: (TensorId, usize)) -> String {
        let sizes = &self.program.sizes;
        let name = match size {
            Expr::Int(size) => return size.to_string(),
            Expr::Dim(id, d) => sizes.get(&(*id, *d)).or_else(|| sizes.get(&own)),
            _ => sizes.get(&own),
        };
        name.map_or("?".into(), String::clone)
    }
}

fn parameters(record: &Node) -> usize {
    match record {
        Node::Tensor(data) => TensorData::num_elements(data),
        Node::Map(fields) => fields.iter().map(|(_, field)| parameters(field)).sum(),
        _ => 0,
    }
}
