//! Long series of durations.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// Durations that are kept where all are not asked for.
const RING: u64 = 1 << 17;

/// A series in memory that is there before the first one comes. Where it is full it is
/// written round and round.
pub struct Samples(Vec<u64>);

impl Samples {
    /// Room for so many durations. All of it is touched, so that no page is made while
    /// they come.
    pub fn with_room(count: u64, kept: bool) -> Samples {
        let count = if kept { count.max(1) } else { RING };
        let mut memory = Vec::with_capacity(count as usize);
        memory.resize_with(count as usize, || std::hint::black_box(0));
        Samples(memory)
    }

    pub fn set(&mut self, place: u64, duration: Duration) {
        let room = self.0.len();
        self.0[place as usize % room] = duration.as_nanos() as u64;
    }

    /// Writes the first so many durations, in nanoseconds, little-endian.
    pub fn write(&self, name: &str, count: u64) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(name)?);
        for duration in &self.0[..count as usize] {
            file.write_all(&duration.to_le_bytes())?;
        }
        file.flush()
    }
}
