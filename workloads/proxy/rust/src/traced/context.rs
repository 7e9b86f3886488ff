//! Who is whose child: W3C's header traceparent, and fresh ids.

use std::cell::Cell;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

pub const HEADER: &str = "traceparent";

const RECORDED: u8 = 1; // the flag of the header

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    pub trace: [u8; 16],
    pub span: [u8; 8],
    pub recorded: bool,
}

impl Context {
    /// Reads the header; None where it says nothing that can be understood.
    pub fn parse(text: &str) -> Option<Context> {
        let mut parts = text.split('-');
        let version: [u8; 1] = hex(parts.next()?)?;
        let context = Context {
            trace: hex(parts.next()?)?,
            span: hex(parts.next()?)?,
            recorded: hex::<1>(parts.next()?)?[0] & RECORDED != 0,
        };
        let understood = version[0] != 0xff && (version[0] > 0 || parts.next().is_none());
        let named = context.trace != [0; 16] && context.span != [0; 8];
        (understood && named).then_some(context)
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (trace, span) = (
            u128::from_be_bytes(self.trace),
            u64::from_be_bytes(self.span),
        );
        write!(
            f,
            "00-{trace:032x}-{span:016x}-{:02x}",
            u8::from(self.recorded)
        )
    }
}

fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    if text.len() != 2 * N || !text.bytes().all(digit) {
        return None;
    }
    let mut bytes = [0; N];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(bytes)
}

/// Ids that nobody else has: a walk through 64 bits (SplitMix64) from a random start. They need
/// not be hard to guess.
#[derive(Clone)]
pub struct Ids(Rc<Cell<u64>>);

impl Ids {
    pub fn new() -> Ids {
        Ids(Rc::new(Cell::new(RandomState::new().hash_one(()))))
    }

    pub fn trace(&self) -> [u8; 16] {
        let id = u128::from(self.next()) << 64 | u128::from(self.next());
        id.to_be_bytes()
    }

    pub fn span(&self) -> [u8; 8] {
        self.next().to_be_bytes()
    }

    fn next(&self) -> u64 {
        loop {
            let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.0.set(state);
            let mut id = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            id ^= id >> 31;
            if id != 0 {
                return id; // no id is all zeros
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_are_written() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(Context::parse(text).unwrap().to_string(), text);
        assert!(
            !Context::parse(&text.replace("-01", "-00"))
                .unwrap()
                .recorded
        );
        assert!(Context::parse(&format!("{}-more", text.replacen("00", "01", 1))).is_some());
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-é0af7651916cd43dd8448eb211c8031-b7ad6b7169203331-01",
        ] {
            assert_eq!(Context::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ids_differ() {
        let ids = Ids::new();
        let mut seen: Vec<_> = (0..1000).map(|_| ids.span()).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 1000);
    }
}
