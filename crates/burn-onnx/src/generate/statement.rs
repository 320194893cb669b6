//! Calls, constants and layers as statements of `forward` and fields of the model.

use super::call_tokens;
use super::documentation::{CodeSpan, DocLine};
use super::layer::Layer;
use super::literal::dtype;
use super::source::{Field, Writer, use_of};
use super::steps::ForwardStep;
use super::weights::{initial, is_literal, literal, rank, tensor_type};
use crate::builder::Statement;
use crate::calls::{Definition, Operand};
use crate::graph::Constant;
use crate::value::Tensor;
use burn_core::record::Node;
use burn_ir::DType;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Calls whose rank follows from the variable that takes their result.
const RANK_OF_RESULT: [&str; 2] = ["squeeze_dims", "unsqueeze_dims"];

impl Writer<'_> {
    pub fn step(&mut self, step: &ForwardStep) {
        match step {
            ForwardStep::Layer { layer, result } => {
                let field = self.layer(layer);
                let input = self.tensor(&layer.input);
                let name = self.variable(result, &field.to_string());
                self.lines.push(quote!(let #name = self.#field.forward(#input);));
                self.sizes_of(result);
            }
            ForwardStep::Call(statement) => self.statement(statement),
            ForwardStep::Branch { condition, blocks, results } => self.branch(condition, blocks, results),
            ForwardStep::Loop { own, body } => self.repeat(own, body),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Constant { constant, result } => self.constant(constant, result),
            // Blocks are steps of their own.
            Statement::Branch { .. } | Statement::Loop(_) => {}
            Statement::Read { tensor } => self.read(tensor),
            Statement::Call { definition, operands, results } => self.call(definition, operands, results),
        }
    }

    fn call(&mut self, definition: &Definition, operands: &[Operand], results: &[Tensor]) {
        let (tensors, fields, uses) = (&self.tensors, &self.fields_of, &mut self.uses);
        let call = call_tokens::call(definition, operands, &self.variables, &mut |tensor| {
            use_of(tensor, tensors, fields, uses)
        });
        let names: Vec<Ident> = results.iter().map(|result| self.result(result, definition.name)).collect();
        // The type stands with the variable and not in a path, which is hard to read.
        let (call, is_new) = match call_tokens::without_type(&call) {
            Some(call) => (call, true),
            None => (call, false),
        };
        self.lines.push(match &names[..] {
            [name] if is_new || RANK_OF_RESULT.contains(&definition.name) => {
                let ty = tensor_type(results[0].dtype(), results[0].held_dims().len());
                quote!(let #name: #ty = #call;)
            }
            [name] => quote!(let #name = #call;),
            names => quote!(let (#(#names),*) = #call;),
        });
        results.iter().for_each(|result| self.sizes_of(result));
    }

    fn constant(&mut self, constant: &Constant, result: &Tensor) {
        if is_literal(constant) {
            let name =
                self.variable(result, if constant.name.is_empty() { "constant" } else { &constant.name });
            let (ty, value) =
                (tensor_type(constant.data.dtype, rank(&constant.data)), literal(&constant.data));
            self.lines.push(quote!(let #name: #ty = #value;));
            return;
        }
        let name = if constant.name.is_empty() { "weight" } else { &constant.name };
        let name = self.field_names.unique(name);
        let mut data = (*constant.data).clone();
        let ty = tensor_type(data.dtype, rank(&data));
        if data.shape.is_empty() {
            data.shape = [1].into();
        }
        // Integers are loaded as those of the backend.
        let cast = match data.dtype {
            DType::I64 | DType::Bool => TokenStream::new(),
            other if other.is_int() => {
                let dtype = dtype(other);
                quote!(.cast(#dtype))
            }
            _ => TokenStream::new(),
        };
        self.fields_of.insert(result.id, quote!(self.#name.val() #cast));
        self.tensors.insert(result.id, name.clone());
        let title = match &constant.name[..] {
            "" => "Constant without a name".into(),
            name => CodeSpan::new(name).to_string(),
        };
        self.fields.push(Field {
            type_tokens: quote!(Param<#ty>),
            init: initial(&data),
            documentation: DocLine::new(format!("{title}, {:?}.", data.shape)),
            record: Node::Tensor(data),
            name,
        });
    }

    /// The field of a layer.
    fn layer(&mut self, layer: &Layer) -> Ident {
        let name = if layer.is_anonymous() {
            layer.fallback
        } else {
            layer.weight.strip_suffix(".weight").unwrap_or(&layer.weight)
        };
        let name = self.field_names.unique(name);
        self.imports.extend(layer.imports.iter().copied());
        self.imports.insert(layer.path);
        let ty = format_ident!("{}", layer.type_name());
        self.fields.push(Field {
            name: name.clone(),
            type_tokens: quote!(#ty<B>),
            init: layer.init.clone(),
            documentation: layer.documentation.clone(),
            record: layer.record(),
        });
        name
    }
}
