use crate::conditions::Conditions;
use crate::display::display;
use crate::target::{Bodies, Target};
use crate::{attribute, constant, generics, module_enum, module_struct, parts, root::root};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Field, GenericParam, Generics, Ident, Type, parse_quote};

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    undeclared_backend(input)?;
    // Where-clauses would hide the record types of the fields, which attaching one record to another needs.
    let without_conditions =
        attribute::custom(&input.attrs)?.recursive || module_struct::attaches_records(&input.data)?;
    let conditions = Conditions::of(input, without_conditions);
    let Some(backend) = generics::backend(&input.generics) else {
        return constant::derive(input, &conditions);
    };
    let (root, backend) = (root(), backend.ident.clone());
    let mut generics = generics::without_defaults(&input.generics);
    let module = quote!(#root::module::Module<#backend>);
    conditions.require(&mut generics, &module);
    let display = display(input, &generics)?;
    let assertion = conditions.assertion(&root, input, &backend, (&module, "visit_params"));
    let target = Target {
        root,
        name: &input.ident,
        visibility: &input.vis,
        generics,
        conditions,
        backend,
        record: format_ident!("{}Record", input.ident),
    };
    let bodies = match &input.data {
        Data::Struct(data) => module_struct::bodies(&target, data)?,
        Data::Enum(data) => module_enum::bodies(&target, data)?,
        Data::Union(data) => {
            return Err(syn::Error::new_spanned(data.union_token, "a module is a struct or an enum"));
        }
    };
    let implementations = implement(&target, &bodies, &display);
    Ok(quote!(#assertion #implementations))
}

/// Refuses fields of types such as `Linear<B>` in a type that declares no `B`.
fn undeclared_backend(input: &DeriveInput) -> syn::Result<()> {
    let is_declared = input.generics.params.iter().any(|parameter| match parameter {
        GenericParam::Type(parameter) => parameter.ident == "B",
        GenericParam::Const(parameter) => parameter.ident == "B",
        GenericParam::Lifetime(_) => false,
    });
    if is_declared {
        return Ok(());
    }
    let (kind, fields): (_, Vec<&Field>) = match &input.data {
        Data::Struct(data) => ("struct", data.fields.iter().collect()),
        Data::Enum(data) => ("enum", data.variants.iter().flat_map(|variant| &variant.fields).collect()),
        Data::Union(_) => return Ok(()),
    };
    // Attributes say that a field is no module.
    let is_of_backend = |field: &&Field| field.attrs.is_empty() && names_backend(field.ty.to_token_stream());
    let Some(field) = fields.into_iter().find(is_of_backend) else { return Ok(()) };
    let name = &input.ident;
    let ty = field.ty.to_token_stream().to_string().replace(' ', "");
    Err(syn::Error::new_spanned(
        &field.ty,
        format!(
            "`{ty}` needs the backend `B`, which `{name}` does not declare: write `{kind} {name}<B: Backend>`"
        ),
    ))
}

/// Whether a type has the argument `B`.
fn names_backend(ty: TokenStream) -> bool {
    let mut previous = ' ';
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let is_argument = matches!(previous, '<' | ',') && ident == "B";
            previous = ' ';
            is_argument
        }
        TokenTree::Punct(punct) => {
            previous = punct.as_char();
            false
        }
        TokenTree::Group(group) => {
            previous = ' ';
            names_backend(group.stream())
        }
        TokenTree::Literal(_) => false,
    })
}

fn implement(target: &Target<'_>, bodies: &Bodies, display: &TokenStream) -> TokenStream {
    let Target { root, name, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let Bodies { record: record_type, visit, map, into_record, read_record, valid, clone, content } = bodies;
    let autodiff = autodiff_generics(target);
    let (autodiff_generics, _, autodiff_where) = autodiff.split_for_impl();
    let inner_arguments =
        generics::arguments(generics, backend, &inner_backend(target), |module| inner_module(target, module));
    quote! {
        #record_type
        #[automatically_derived]
        impl #impl_generics #root::module::Module<#backend> for #name #ty_generics #where_clause {
            type Record = #record #ty_generics;

            fn visit_params(&self, visitor: &mut dyn #root::module::ParamVisitor<#backend>) { #visit }
            fn map_params(&mut self, mapper: &mut dyn #root::module::ParamMapper<#backend>) { #map }
            fn into_record(self) -> Self::Record { #into_record }
            fn read_record(&mut self, record: Self::Record, loader: &mut #root::module::Loader) { #read_record }
        }
        #[automatically_derived]
        impl #autodiff_generics #root::module::AutodiffModule<#backend> for #name #ty_generics #autodiff_where {
            type InnerModule = #name #inner_arguments;

            fn valid(&self) -> Self::InnerModule { #valid }
        }
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #name #ty_generics #where_clause {
            fn clone(&self) -> Self { #clone }
        }
        #[automatically_derived]
        impl #impl_generics #root::module::ModuleDisplayDefault for #name #ty_generics #where_clause {
            fn content(&self, content: #root::module::Content) -> ::core::option::Option<#root::module::Content> {
                let content = content.set_num_params(|| #root::module::Module::<#backend>::num_params(self));
                #content
            }
        }
        #display
    }
}

/// The backend of the inner module.
fn inner_backend(Target { root, backend, .. }: &Target<'_>) -> TokenStream {
    quote!(<#backend as #root::module::derive::AutodiffBackend>::InnerBackend)
}

/// Returns the inner module type of the type parameter `module`.
fn inner_module(Target { root, backend, .. }: &Target<'_>, module: &Ident) -> TokenStream {
    quote!(<#module as #root::module::AutodiffModule<#backend>>::InnerModule)
}

/// Returns the generic parameters of the `AutodiffModule` implementation: the backend differentiates, and so
/// do modules.
fn autodiff_generics(target: &Target<'_>) -> Generics {
    let Target { root, generics, backend, .. } = target;
    let mut wide = generics.clone();
    let bounds = generics
        .type_params()
        .find(|param| param.ident == *backend)
        .map(|param| generics::bounds_of(generics, param))
        .unwrap_or_default();
    let modules = generics.type_params().filter(|param| generics::is_module(generics, param));
    let modules: Vec<&Ident> = modules.map(|param| &param.ident).collect();
    let inner = inner_backend(target);
    let clause = wide.make_where_clause();
    clause.predicates.push(parse_quote!(#backend: #root::module::derive::AutodiffBackend));
    if !bounds.is_empty() {
        clause.predicates.push(parse_quote!(#inner: #(#bounds)+*));
    }
    for module in &modules {
        clause.predicates.push(parse_quote!(#module: #root::module::AutodiffModule<#backend>));
    }
    let other = |param: &Ident| match param {
        param if param == backend => Some(inner.clone()),
        param if modules.contains(&param) => Some(inner_module(target, param)),
        _ => None,
    };
    let on_inner = |ty: &Type| parts::substitute(ty.to_token_stream(), &other);
    target.conditions.require_inner(&mut wide, root, backend, &inner, &on_inner);
    wide
}
