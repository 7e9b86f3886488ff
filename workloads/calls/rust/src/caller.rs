//! The timed loop of one calling thread.

use std::time::{Duration, Instant};
use std::{io, thread};

use crate::function::monitored_function;
use crate::order::Order;
use crate::samples::Samples;

/// For work at a fixed rate that had fallen due when the duration ended.
const GRACE: Duration = Duration::from_millis(100);

/// One thread's part of a stretch.
pub struct Caller {
    order: Order,
    thread: u64,
    share: u64,
    durations: Samples,
    lags: Option<Samples>, // of work at a fixed rate: start less intended start
    start: Duration,       // intended, of the operations of a slot, since began
    pub made: u64,
    pub failed: u64,
    pub calling: Duration, // sum of all durations
    pub cpu: Duration,
    pub began: Instant,
    pub ended: Instant,
}

impl Caller {
    /// Makes room for all that the thread will keep.
    pub fn new(order: &Order, thread: u64) -> Caller {
        let share = order.share(thread);
        let room = || Samples::with_room(share, order.samples.is_some());
        let now = Instant::now();
        Caller {
            order: order.clone(),
            thread,
            share,
            durations: room(),
            lags: order.rate.map(|_| room()),
            start: Duration::ZERO,
            made: 0,
            failed: 0,
            calling: Duration::ZERO,
            cpu: Duration::ZERO,
            began: now,
            ended: now,
        }
    }

    /// Makes the thread's operations.
    pub fn run(&mut self) -> io::Result<()> {
        let cpu = thread_cpu()?;
        self.began = Instant::now();
        self.ended = self.began;
        match self.order.rate {
            Some(rate) => self.make_at_rate(rate),
            None => self.call(self.share, self.began),
        }
        self.cpu = thread_cpu()? - cpu;
        Ok(())
    }

    /// Makes the operations of each slot at a random moment of it, then waits for the next slot
    /// that has some. What falls due before the duration is over is made, also where the thread
    /// wakes late.
    fn make_at_rate(&mut self, rate: f64) {
        let mut moments = self.order.moments.map(|seed| Random(seed + self.thread));
        while self.made < self.share {
            let (begin, length) = self.order.slot(rate, self.thread, self.made);
            let moment = moments.as_mut().map_or(0.0, Random::next);
            self.start = begin + length.mul_f64(moment);
            thread::sleep((self.began + self.start).saturating_duration_since(Instant::now()));
            let now = Instant::now();
            if self.over(now) {
                return;
            }
            let end = begin + length - Duration::from_nanos(1);
            let due = self.order.due(rate, self.thread, end).max(self.made + 1);
            self.call(self.share.min(due), now);
        }
    }

    fn over(&self, now: Instant) -> bool {
        let grace = if self.lags.is_some() {
            GRACE
        } else {
            Duration::ZERO
        };
        self.order
            .duration
            .is_some_and(|duration| now - self.began >= duration + grace)
    }

    /// The timed loop: makes operations from now on, until so many are made in all, or
    /// until the time has passed.
    fn call(&mut self, most: u64, mut now: Instant) {
        let (busy, depth) = (self.order.busy, self.order.depth);
        while self.made < most && !self.over(now) {
            let begin = Instant::now();
            let calls = monitored_function(busy, depth);
            now = Instant::now();
            self.durations.set(self.made, now - begin);
            self.calling += now - begin;
            self.failed += u64::from(calls != depth);
            if let Some(lags) = &mut self.lags {
                lags.set(self.made, (begin - self.began).saturating_sub(self.start));
            }
            self.made += 1;
            self.ended = now;
        }
    }

    /// Writes the durations, and of work at a fixed rate the lags.
    pub fn write(&self, samples: &str) -> io::Result<()> {
        let name = format!("{samples}.{}", self.thread);
        self.durations.write(&name, self.made)?;
        match &self.lags {
            Some(lags) => lags.write(&format!("{name}.lag"), self.made),
            None => Ok(()),
        }
    }
}

/// A linear congruential generator (Knuth, The Art of Computer Programming, 3.3.4, table 1), of which
/// the upper bits are taken.
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// CPU time of the thread that asks.
pub fn thread_cpu() -> io::Result<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one timespec to where it is told.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}
