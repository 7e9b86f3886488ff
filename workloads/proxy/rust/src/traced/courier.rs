//! A thread that exports for others, who wait for the outcome: a blocking call, as of a gRPC library.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use loop_exporter::{Client, Span, Target};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use crate::Failure;

/// How many spans the receiver took, or why the export failed.
pub type Outcome = Result<usize, String>;

#[derive(Debug)]
pub struct Courier {
    orders: UnboundedSender<Order>,
}

/// Spans to be exported, and who waits for the outcome.
type Order = (Vec<Span>, SyncSender<Outcome>);

impl Courier {
    /// Starts the thread, which ends with the courier.
    pub fn start(target: Target) -> Result<Courier, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (orders, taken) = unbounded_channel();
        thread::Builder::new()
            .name("exporter".into())
            .spawn(move || carry_out(&runtime, target, taken))?;
        Ok(Courier { orders })
    }

    /// Exports the spans, and waits until that is over.
    pub fn export(&self, spans: Vec<Span>) -> Outcome {
        let (reply, outcome) = sync_channel(1);
        match self.orders.send((spans, reply)) {
            Ok(()) => outcome.recv().unwrap_or_else(|e| Err(e.to_string())),
            Err(error) => Err(error.to_string()),
        }
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
