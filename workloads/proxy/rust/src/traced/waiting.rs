//! `sync`: whoever records the span that fills the buffer exports it, and everything on the loop
//! waits for that. A thread beside does the talking, as behind a blocking call of a gRPC library.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use std::{mem, thread};

use loop_exporter::{Client, Counts, Settings, Span, Target};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, interval_at};

use super::design::settle;
use crate::Failure;

#[derive(Clone)]
pub struct Waiting(Rc<Inner>);

struct Inner {
    flush: usize,
    state: RefCell<State>,
    orders: UnboundedSender<Order>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Span>,
    counts: Counts,
}

/// Spans to be exported, and who waits for the outcome.
type Order = (Vec<Span>, SyncSender<Result<usize, String>>);

impl Waiting {
    pub fn start(settings: Settings) -> Result<Waiting, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (orders, taken) = unbounded_channel();
        thread::Builder::new()
            .name("exporter".into())
            .spawn(move || carry_out(&runtime, settings.target, taken))?;
        let inner = Rc::new(Inner {
            flush: settings.flush.min(settings.buffer),
            state: RefCell::default(),
            orders,
        });
        spawn_local(tick(Rc::downgrade(&inner), settings.delay));
        Ok(Waiting(inner))
    }

    pub fn record(&self, span: Span) {
        let mut state = self.0.state.borrow_mut();
        state.counts.recorded += 1;
        state.counts.held += 1;
        state.waiting.push(span);
        if state.waiting.len() >= self.0.flush {
            self.0.export(&mut state);
        }
    }

    pub fn stop(&self) -> Counts {
        let mut state = self.0.state.borrow_mut();
        self.0.export(&mut state);
        state.counts
    }
}

impl Inner {
    /// Exports what waits. Nothing else happens on the loop meanwhile.
    fn export(&self, state: &mut State) {
        if state.waiting.is_empty() {
            return;
        }
        let spans = mem::take(&mut state.waiting);
        let count = spans.len();
        let (reply, outcome) = sync_channel(1);
        let outcome = match self.orders.send((spans, reply)) {
            Ok(()) => outcome.recv().unwrap_or_else(|e| Err(e.to_string())),
            Err(error) => Err(error.to_string()),
        };
        settle(&mut state.counts, count, outcome);
    }
}

async fn tick(inner: Weak<Inner>, delay: Duration) {
    let mut ticks = interval_at(Instant::now() + delay, delay);
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        inner.export(&mut inner.state.borrow_mut());
    }
}

fn carry_out(runtime: &Runtime, target: Target, mut orders: UnboundedReceiver<Order>) {
    LocalSet::new().block_on(runtime, async {
        let client = Client::new(target);
        while let Some((spans, reply)) = orders.recv().await {
            let outcome = client.export(spans).await.map_err(|e| e.to_string());
            let _ = reply.send(outcome); // whoever waits is there, or the program ends
        }
    });
}
