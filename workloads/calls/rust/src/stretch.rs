//! A stretch of work: prepared, made once, and written.

use std::{io, thread};

use crate::Result;
use crate::caller::Caller;
use crate::order::Order;

/// An order, and the threads that carry it out.
pub struct Stretch {
    order: Order,
    callers: Vec<Caller>,
    made: bool,
}

impl Stretch {
    /// Allocates all that the work needs.
    pub fn new(order: Order) -> Stretch {
        let callers = (0..order.threads)
            .map(|thread| Caller::new(&order, thread))
            .collect();
        Stretch {
            order,
            callers,
            made: false,
        }
    }

    /// Makes the operations, and returns the answer.
    pub fn make(&mut self) -> Result<String> {
        if self.made {
            return Err("this order was run already; prepare another".into());
        }
        self.made = true;
        thread::scope(|scope| {
            let threads: Vec<_> = self
                .callers
                .iter_mut()
                .map(|caller| scope.spawn(|| caller.run()))
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("a panic ends the program"))
        })?;
        Ok(self.done())
    }

    fn done(&self) -> String {
        let callers = || self.callers.iter();
        let began = callers().map(|caller| caller.began).min();
        let ended = callers().map(|caller| caller.ended).max();
        let wall = ended
            .zip(began)
            .map(|(ended, began)| ended - began)
            .unwrap_or_default();
        format!(
            "done started={} failed={} wall_ns={} call_ns={} thread_cpu_ns={}",
            callers().map(|caller| caller.made).sum::<u64>(),
            callers().map(|caller| caller.failed).sum::<u64>(),
            wall.as_nanos(),
            callers()
                .map(|caller| caller.calling.as_nanos())
                .sum::<u128>(),
            callers().map(|caller| caller.cpu.as_nanos()).sum::<u128>(),
        )
    }

    /// Writes the files that the order names, and returns the number of durations.
    pub fn write(&self) -> Result<u64> {
        let Some(samples) = self.order.samples.as_ref().filter(|_| self.made) else {
            return Err("there is nothing to write: no order with samples= was run".into());
        };
        self.callers
            .iter()
            .try_for_each(|caller| -> io::Result<()> { caller.write(samples) })?;
        Ok(self.callers.iter().map(|caller| caller.made).sum())
    }
}
