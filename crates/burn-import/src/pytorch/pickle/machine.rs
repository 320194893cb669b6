use super::class::{self, Class};
use super::heap::{Heap, Object, PickleValue, Storage};
use super::opcode as op;
use super::rebuild;
use crate::byte_reader::ByteReader;
use std::collections::HashMap;

/// Values on the stack, marks on it, and values that are kept: a tensor of a state dict keeps about ten.
const MOST_VALUES: usize = 2 << 20;

/// Runs the pickle at the beginning of `bytes`: its value, and how many bytes it has.
///
/// # Errors
/// The pickle is truncated or damaged, names anything but the classes that tensors need, or has too many
/// objects.
pub fn run(bytes: &[u8], heap: &mut Heap) -> Result<(PickleValue, usize), String> {
    let mut machine = Machine {
        reader: ByteReader::new("pickle", bytes),
        heap,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
        paid: 0,
    };
    loop {
        let at = machine.reader.position();
        let code = machine.reader.u8()?;
        if code == op::STOP {
            let value = machine.pop()?;
            return Ok((value, machine.reader.position()));
        }
        machine.step(code).map_err(|cause| format!("pickle, byte {at}: {cause}"))?;
        machine.pay().map_err(|cause| format!("pickle, byte {at}: {cause}"))?;
        if machine.stack.len().max(machine.marks.len()).max(machine.memo.len()) > MOST_VALUES {
            return Err(format!(
                "pickle, byte {at}: more than {MOST_VALUES} values are on the stack or kept"
            ));
        }
    }
}

struct Machine<'a> {
    reader: ByteReader<'a>,
    heap: &'a mut Heap,
    stack: Vec<PickleValue>,
    /// Lengths of the stack at the marks on it.
    marks: Vec<usize>,
    memo: HashMap<u32, PickleValue>,
    /// Bytes of stack, marks and memo that the heap counts.
    paid: usize,
}

impl Machine<'_> {
    fn step(&mut self, code: u8) -> Result<(), String> {
        match code {
            op::PROTO => self.protocol(),
            op::FRAME => self.reader.u64().map(drop),
            op::MARK => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            op::POP => self.pop_or_mark(),
            op::POP_MARK => self.pop_marked().map(drop),
            op::DUP => self.top().map(|value| self.stack.push(value)),
            op::GET | op::BINGET | op::LONG_BINGET | op::PUT | op::BINPUT | op::LONG_BINPUT | op::MEMOIZE => {
                self.memo(code)
            }
            op::GLOBAL => {
                let (module, name) = (self.reader.line()?, self.reader.line()?);
                let class = class::find(module, name)?;
                self.push(PickleValue::Class(class))
            }
            op::STACK_GLOBAL => self.stack_global(),
            op::REDUCE | op::NEWOBJ => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                let value = rebuild::call(self.heap, function, arguments)?;
                self.push(value)
            }
            op::BUILD => {
                let (state, object) = (self.pop()?, self.top()?);
                rebuild::set_state(self.heap, object, state)
            }
            op::BINPERSID => {
                let id = self.pop()?;
                let storage = self.storage(id)?;
                self.make(Object::Storage(storage))
            }
            code => self.literal(code),
        }
    }

    /// Pushes a value that is written in the pickle.
    fn literal(&mut self, code: u8) -> Result<(), String> {
        match code {
            op::NONE => self.push(PickleValue::None),
            op::NEWTRUE => self.push(PickleValue::Bool(true)),
            op::NEWFALSE => self.push(PickleValue::Bool(false)),
            op::INT | op::LONG | op::BININT | op::BININT1 | op::BININT2 | op::LONG1 | op::LONG4 => {
                let number = self.number(code)?;
                self.push(number)
            }
            op::FLOAT => {
                let line = self.reader.line()?;
                let number = line.trim().parse().map_err(|_| format!("`{line}` is not a number"))?;
                self.push(PickleValue::Float(number))
            }
            op::BINFLOAT => {
                let number = self.reader.f64()?;
                self.push(PickleValue::Float(number))
            }
            op::STRING
            | op::UNICODE
            | op::BINUNICODE
            | op::SHORT_BINUNICODE
            | op::BINUNICODE8
            | op::BINSTRING
            | op::SHORT_BINSTRING => {
                let text = self.text(code)?;
                self.make(Object::Text(text))
            }
            op::BINBYTES | op::SHORT_BINBYTES | op::BINBYTES8 | op::BYTEARRAY8 => {
                let count = match code {
                    op::SHORT_BINBYTES => self.reader.u8()?.into(),
                    op::BINBYTES => self.reader.u32()?.into(),
                    _ => self.reader.u64()?,
                };
                let bytes = self.reader.bytes(count)?.to_vec();
                self.make(Object::Bytes(bytes))
            }
            code => self.container(code),
        }
    }

    fn container(&mut self, code: u8) -> Result<(), String> {
        match code {
            op::EMPTY_LIST => self.make(Object::List(Vec::new())),
            op::EMPTY_TUPLE => self.make(Object::Tuple(Vec::new())),
            op::EMPTY_DICT => self.make(Object::Dict(Vec::new())),
            op::EMPTY_SET => self.make(Object::Set(Vec::new())),
            op::LIST => {
                let items = self.pop_marked()?;
                self.make(Object::List(items))
            }
            op::TUPLE => {
                let items = self.pop_marked()?;
                self.make(Object::Tuple(items))
            }
            op::TUPLE1 | op::TUPLE2 | op::TUPLE3 => {
                let mut items = Vec::new();
                for _ in op::TUPLE1..=code {
                    items.insert(0, self.pop()?);
                }
                self.make(Object::Tuple(items))
            }
            op::FROZENSET => {
                let items = self.pop_marked()?;
                self.make(Object::Set(items))
            }
            op::DICT => {
                let items = self.pop_marked()?;
                self.make(Object::Dict(pairs(&items)?))
            }
            op::APPEND => {
                let item = self.pop()?;
                self.extend(&[item])
            }
            op::APPENDS | op::ADDITEMS => {
                let items = self.pop_marked()?;
                self.extend(&items)
            }
            op::SETITEM => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set_items(&[key, value])
            }
            op::SETITEMS => {
                let items = self.pop_marked()?;
                self.set_items(&items)
            }
            code => Err(format!("operation {code:#04x} is unknown, or is none that tensors need")),
        }
    }

    /// Counts the memory that the stack, the marks and the memo have grown by.
    fn pay(&mut self) -> Result<(), String> {
        // A table of hashes has a byte beside each entry.
        let memo = self.memo.capacity() * (size_of::<(u32, PickleValue)>() + 1);
        let bytes = size_of::<PickleValue>() * self.stack.capacity()
            + size_of::<usize>() * self.marks.capacity()
            + memo;
        if bytes > self.paid {
            self.heap.pay(bytes - self.paid)?;
            self.paid = bytes;
        }
        Ok(())
    }

    fn protocol(&mut self) -> Result<(), String> {
        match self.reader.u8()? {
            0..=5 => Ok(()),
            protocol => Err(format!("protocol {protocol}; expected 0 to 5")),
        }
    }

    fn push(&mut self, value: PickleValue) -> Result<(), String> {
        self.stack.push(value);
        Ok(())
    }

    fn make(&mut self, object: Object) -> Result<(), String> {
        let value = self.heap.add(object)?;
        self.push(value)
    }

    /// Nothing below the last mark is taken.
    fn pop(&mut self) -> Result<PickleValue, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let value = if self.stack.len() > floor { self.stack.pop() } else { None };
        value.ok_or_else(|| "the stack is empty".to_string())
    }

    fn pop_or_mark(&mut self) -> Result<(), String> {
        if self.marks.last() == Some(&self.stack.len()) {
            self.marks.pop();
            return Ok(());
        }
        self.pop().map(drop)
    }

    fn top(&self) -> Result<PickleValue, String> {
        self.stack.last().copied().ok_or_else(|| "the stack is empty".to_string())
    }

    fn pop_marked(&mut self) -> Result<Vec<PickleValue>, String> {
        let mark = self.marks.pop().ok_or("no mark is on the stack")?;
        // Not `split_off`, which hands over the capacity of the whole stack where the mark is at its
        // beginning.
        Ok(self.stack.drain(mark..).collect())
    }

    fn number(&mut self, code: u8) -> Result<PickleValue, String> {
        Ok(PickleValue::Int(match code {
            op::BININT => self.reader.u32()?.cast_signed().into(),
            op::BININT1 => self.reader.u8()?.into(),
            op::BININT2 => self.reader.u16()?.into(),
            op::LONG1 => {
                let count = self.reader.u8()?.into();
                self.reader.long(count)?
            }
            op::LONG4 => {
                let count = self.reader.u32()?.into();
                self.reader.long(count)?
            }
            _ => match self.reader.line()?.trim() {
                "00" if code == op::INT => return Ok(PickleValue::Bool(false)),
                "01" if code == op::INT => return Ok(PickleValue::Bool(true)),
                line => {
                    let digits = line.strip_suffix('L').unwrap_or(line);
                    digits.parse().map_err(|_| format!("`{line}` is not an integer"))?
                }
            },
        }))
    }

    fn text(&mut self, code: u8) -> Result<String, String> {
        let count = match code {
            op::SHORT_BINUNICODE | op::SHORT_BINSTRING => self.reader.u8()?.into(),
            op::BINUNICODE | op::BINSTRING => self.reader.u32()?.into(),
            op::BINUNICODE8 => self.reader.u64()?,
            // Escapes are kept as they are: names of tensors have none.
            op::STRING => return Ok(self.reader.line()?.trim().trim_matches(['\'', '"']).to_string()),
            _ => return Ok(self.reader.line()?.to_string()),
        };
        self.reader.text(count)
    }

    fn memo(&mut self, code: u8) -> Result<(), String> {
        let key = match code {
            op::MEMOIZE => u32::try_from(self.memo.len()).map_err(|_| "too many memos")?,
            op::BINGET | op::BINPUT => self.reader.u8()?.into(),
            op::LONG_BINGET | op::LONG_BINPUT => self.reader.u32()?,
            _ => {
                let line = self.reader.line()?;
                line.trim().parse().map_err(|_| format!("`{line}` is not the number of a memo"))?
            }
        };
        if matches!(code, op::GET | op::BINGET | op::LONG_BINGET) {
            let value = self.memo.get(&key).copied();
            return self.push(value.ok_or_else(|| format!("memo {key} was not made"))?);
        }
        let value = self.top()?;
        self.memo.insert(key, value);
        Ok(())
    }

    fn stack_global(&mut self) -> Result<(), String> {
        let (name, module) = (self.pop()?, self.pop()?);
        let class = match (self.heap.as_text(module), self.heap.as_text(name)) {
            (Some(module), Some(name)) => class::find(module, name)?,
            _ => return Err("the name of a class is not a text".to_string()),
        };
        self.push(PickleValue::Class(class))
    }

    fn extend(&mut self, items: &[PickleValue]) -> Result<(), String> {
        let target = self.top()?;
        self.heap.extend_list(target, items)
    }

    fn set_items(&mut self, items: &[PickleValue]) -> Result<(), String> {
        let (target, entries) = (self.top()?, pairs(items)?);
        self.heap.extend_dict(target, &entries)
    }

    /// The memory of a tensor: `('storage', class, key, location, number of elements)`.
    fn storage(&self, id: PickleValue) -> Result<Storage, String> {
        let wrong = || "a persistent object that is no storage of a tensor".to_string();
        let items = self.heap.as_items(id).ok_or_else(wrong)?;
        let [tag, PickleValue::Class(Class::Storage(stored)), key, _location, count, ..] = items else {
            return Err(wrong());
        };
        let key = self.heap.as_text(*key).ok_or_else(wrong)?.to_string();
        let count = self.heap.as_count(*count).ok_or_else(wrong)?;
        if self.heap.as_text(*tag) != Some("storage") {
            return Err(wrong());
        }
        // A view of another storage, which files have not had since PyTorch 0.4.
        if items.get(5).is_some_and(|view| *view != PickleValue::None) {
            return Err("a storage that is a view of another one".to_string());
        }
        Ok(Storage { key, stored: *stored, count })
    }
}

fn pairs(items: &[PickleValue]) -> Result<Vec<(PickleValue, PickleValue)>, String> {
    let (pairs, rest) = items.as_chunks::<2>();
    match rest {
        [] => Ok(pairs.iter().map(|[key, value]| (*key, *value)).collect()),
        _ => Err("a key without a value".to_string()),
    }
}
