//! The exporter on the loop: a buffer, exports under way, and what became of every span.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::client::{Client, Target};
use crate::span::Span;

/// How an exporter works.
#[derive(Clone, Debug)]
pub struct Settings {
    pub target: Target,
    /// Spans at which an export begins, and the most in one.
    pub flush: usize,
    /// Longest time that a span waits for others.
    pub delay: Duration,
    /// Spans that wait, at most. One more is dropped, and counted.
    pub buffer: usize,
    /// Exports under way, at most. Beyond it spans wait in the buffer.
    pub pending: usize,
}

/// What became of the spans: recorded = delivered + dropped + failed + buffered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Given to [`Exporter::record`].
    pub recorded: u64,
    /// Taken by the receiver, by its own answer.
    pub delivered: u64,
    /// Thrown away, because the buffer was full.
    pub dropped: u64,
    /// In exports that failed, or refused by the receiver.
    pub failed: u64,
    /// Waiting or under way.
    pub buffered: u64,
}

/// Exports spans on the event loop of the thread that records them. A clone is the same
/// exporter.
///
/// It holds `buffer` spans and `pending` exports of `flush` spans at most, and up to twice as many
/// exports that timed out, until their connection is dropped. It never waits in
/// [`record`](Exporter::record).
#[derive(Clone)]
pub struct Exporter {
    shared: Rc<Shared>,
}

struct Shared {
    settings: Settings,
    client: Client,
    state: RefCell<State>,
    idle: Notify, // told when no export is under way any more
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Span>,
    pending: usize,
    counts: Counts,
    flushing: bool, // what waits goes out, however few they are
    last_failure: Option<String>,
}

impl Exporter {
    /// Starts on this thread, inside a [`tokio::task::LocalSet`].
    pub fn start(settings: Settings) -> Exporter {
        let shared = Rc::new(Shared {
            client: Client::new(settings.target.clone()),
            settings,
            state: RefCell::default(),
            idle: Notify::new(),
        });
        tokio::task::spawn_local(tick(Rc::downgrade(&shared), shared.settings.delay));
        Exporter { shared }
    }

    /// Takes a finished span, or drops it where the buffer is full.
    pub fn record(&self, span: Span) {
        let mut state = self.shared.state.borrow_mut();
        state.counts.recorded += 1;
        if state.waiting.len() >= self.shared.settings.buffer {
            state.counts.dropped += 1;
            return;
        }
        state.counts.buffered += 1;
        state.waiting.push_back(span);
        drop(state);
        send(&self.shared);
    }

    pub fn counts(&self) -> Counts {
        self.shared.state.borrow().counts
    }

    /// Why the last of the failed exports failed; None where none did.
    pub fn last_failure(&self) -> Option<String> {
        self.shared.state.borrow().last_failure.clone()
    }

    /// Sends what waits, and returns when nothing is buffered any more or the patience has ended.
    /// What is buffered then is lost if the program ends. With a patience above the target's
    /// timeout, all exports that are under way now have ended by then.
    pub async fn flush(&self, patience: Duration) -> Counts {
        flush_now(&self.shared);
        let empty = async {
            while self.counts().buffered > 0 {
                self.shared.idle.notified().await;
            }
        };
        let _ = timeout(patience, empty).await;
        self.counts()
    }
}

/// Lasts as long as the exporter.
async fn tick(shared: Weak<Shared>, delay: Duration) {
    let delay = delay.max(Duration::from_millis(1));
    let mut ticks = interval_at(Instant::now() + delay, delay);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        flush_now(&shared);
    }
}

fn flush_now(shared: &Rc<Shared>) {
    shared.state.borrow_mut().flushing = true;
    send(shared);
}

/// Begins as many exports as may be.
fn send(shared: &Rc<Shared>) {
    while let Some(batch) = next_batch(shared) {
        let shared = shared.clone();
        tokio::task::spawn_local(async move {
            let count = batch.len() as u64;
            let outcome = shared.client.export(batch).await;
            settle(&shared, count, outcome.map_err(|e| e.to_string()));
            send(&shared);
        });
    }
}

fn next_batch(shared: &Shared) -> Option<Vec<Span>> {
    let settings = &shared.settings;
    let mut state = shared.state.borrow_mut();
    let flush = settings.flush.min(settings.buffer).max(1); // a full buffer goes out too
    if state.waiting.is_empty() {
        state.flushing = false;
    }
    let due = state.waiting.len() >= flush || state.flushing;
    if !due || state.pending >= settings.pending.max(1) {
        return None;
    }
    let count = flush.min(state.waiting.len());
    state.pending += 1;
    Some(state.waiting.drain(..count).collect())
}

fn settle(shared: &Shared, count: u64, outcome: Result<usize, String>) {
    let mut state = shared.state.borrow_mut();
    let delivered = *outcome.as_ref().unwrap_or(&0) as u64;
    state.pending -= 1;
    state.counts.buffered -= count;
    state.counts.delivered += delivered;
    state.counts.failed += count - delivered;
    if let Err(failure) = outcome {
        state.last_failure = Some(failure);
    }
    if state.counts.buffered == 0 {
        shared.idle.notify_waiters();
    }
}
