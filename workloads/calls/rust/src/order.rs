//! What is asked for: the words of a "prepare" line.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

const MOST_DEPTH: u64 = 4096;
const MOST_THREADS: u64 = 1024;
const MOST_SAMPLES: u64 = 1 << 24; // of a thread, where the number of operations is not ordered
const LEAST_SLOT: Duration = Duration::from_millis(1); // operations that fall due within it start together

/// A stretch of work that is asked for.
#[derive(Clone, Debug)]
pub struct Order {
    /// The most operations, over all threads; None is no limit.
    pub calls: Option<u64>,
    /// The longest time; None is no limit.
    pub duration: Option<Duration>,
    /// Operations a second over all threads; None is as fast as it goes.
    pub rate: Option<f64>,
    /// Seed of the moments at which operations start at a rate; None is the beginning of each slot.
    pub moments: Option<u64>,
    pub threads: u64,
    /// Calls in one another that make one operation.
    pub depth: u32,
    /// Time that the innermost call takes at least.
    pub busy: Duration,
    /// Prefix of the files that every duration goes to; None keeps none.
    pub samples: Option<String>,
}

impl Order {
    /// Reads the words that follow "prepare".
    pub fn parse(line: &str) -> Result<Order, String> {
        let mut words = HashMap::new();
        for word in line.split_whitespace() {
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| format!("the word {word:?} is not of the form name=value"))?;
            if words.insert(name, value).is_some() {
                return Err(format!("the word {name:?} stands there twice"));
            }
        }
        words.remove("seed"); // no operation is left to chance
        words.remove("batches"); // nor is there a collector to tell of
        let order = Order {
            calls: Some(whole(&mut words, "calls", 0, 0..=i64::MAX as u64)?)
                .filter(|&calls| calls > 0),
            duration: Some(nanoseconds(&mut words, "duration_ns")?)
                .filter(|duration| !duration.is_zero()),
            rate: Some(rate(&mut words)?).filter(|&rate| rate > 0.0),
            moments: Some(whole(&mut words, "moments", 0, 0..=i64::MAX as u64)?)
                .filter(|&seed| seed > 0),
            threads: whole(&mut words, "threads", 1, 1..=MOST_THREADS)?,
            depth: whole(&mut words, "depth", 10, 1..=MOST_DEPTH)? as u32,
            busy: nanoseconds(&mut words, "busy_ns")?,
            samples: words
                .remove("samples")
                .filter(|prefix| !prefix.is_empty())
                .map(String::from),
        };
        if let Some(name) = words.keys().next() {
            return Err(format!("unknown word {name:?}"));
        }
        if order.calls.is_none() && order.duration.is_none() {
            return Err("neither calls nor duration_ns is given".into());
        }
        Ok(order)
    }

    /// Seconds between the intended starts of two operations of one thread.
    pub fn interval(&self, rate: f64) -> f64 {
        self.threads as f64 / rate
    }

    /// Seconds until the first operation of a thread is due: the threads take turns.
    pub fn offset(&self, rate: f64, thread: u64) -> f64 {
        thread as f64 / rate
    }

    /// How many operations of a thread have fallen due so long after the start.
    pub fn due(&self, rate: f64, thread: u64, since: Duration) -> u64 {
        let over = since.as_secs_f64() - self.offset(rate, thread);
        if over < 0.0 {
            return 0;
        }
        (over / self.interval(rate)) as u64 + 1
    }

    /// When the time begins in which an operation of a thread starts, and how long it is: its own
    /// period or, of more frequent ones, a millisecond.
    pub fn slot(&self, rate: f64, thread: u64, operation: u64) -> (Duration, Duration) {
        let due = self.offset(rate, thread) + operation as f64 * self.interval(rate);
        let mut begin = Duration::from_secs_f64(due);
        let mut length = Duration::from_secs_f64(1.0 / rate);
        if length < LEAST_SLOT {
            let slots = begin.as_nanos() / LEAST_SLOT.as_nanos();
            begin = LEAST_SLOT * slots as u32;
            length = LEAST_SLOT;
        }
        match self.duration {
            Some(duration) => (begin, length.min(duration - begin)), // the last one may be cut off
            None => (begin, length),
        }
    }

    /// The most operations that a thread, counted from 0, makes.
    pub fn share(&self, thread: u64) -> u64 {
        let share = match self.calls {
            Some(calls) => calls / self.threads + u64::from(thread < calls % self.threads),
            None => u64::MAX,
        };
        match (self.rate, self.duration) {
            (Some(rate), Some(duration)) => {
                share.min(self.due(rate, thread, duration - Duration::from_nanos(1)))
            }
            _ if self.samples.is_some() && self.calls.is_none() => MOST_SAMPLES,
            _ => share,
        }
    }
}

type Words<'a> = HashMap<&'a str, &'a str>;

fn whole(
    words: &mut Words,
    name: &str,
    otherwise: u64,
    range: RangeInclusive<u64>,
) -> Result<u64, String> {
    let Some(value) = words.remove(name) else {
        return Ok(otherwise);
    };
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!(
            "{name}={value} is not a whole number from {} to {}",
            range.start(),
            range.end()
        )),
    }
}

fn nanoseconds(words: &mut Words, name: &str) -> Result<Duration, String> {
    whole(words, name, 0, 0..=i64::MAX as u64).map(Duration::from_nanos)
}

fn rate(words: &mut Words) -> Result<f64, String> {
    let value = words.remove("rate").unwrap_or("0");
    match value.parse() {
        Ok(rate) if (0.0..=1e9).contains(&rate) => Ok(rate),
        _ => Err(format!("rate={value} is not a number between 0 and 1e9")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (words, shares) in [
            ("calls=7 threads=2", vec![4, 3]),
            ("calls=1", vec![1]),
            ("duration_ns=1000", vec![u64::MAX]),
            ("duration_ns=1000 samples=/x", vec![MOST_SAMPLES]),
            ("duration_ns=1000000000 rate=10", vec![10]),
            ("duration_ns=1000000000 rate=10 threads=3", vec![4, 3, 3]),
            ("duration_ns=1000000000 rate=1 threads=3", vec![1, 0, 0]),
            (
                "duration_ns=1000000000 rate=10 calls=4 threads=2",
                vec![2, 2],
            ),
        ] {
            let order = Order::parse(words).unwrap();
            let got: Vec<_> = (0..order.threads)
                .map(|thread| order.share(thread))
                .collect();
            assert_eq!(got, shares, "{words}");
        }
    }

    #[test]
    fn wrong_words() {
        for words in [
            "",
            "calls",
            "calls=x",
            "calls=-1",
            "calls=1 calls=2",
            "calls=1 depht=3",
            "calls=1 threads=0",
            "calls=1 rate=-1",
        ] {
            assert!(Order::parse(words).is_err(), "{words}");
        }
    }
}
