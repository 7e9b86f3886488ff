//! The designs that an exporter of an event loop may have.

use std::time::Duration;

use loop_exporter::{Counts, Exporter, Span};

use super::sdk::Sdk;
use super::settings::Chosen;
use super::threaded::Threaded;
use super::waiting::Waiting;
use crate::Failure;

/// How much longer than an export a stop may take: an export that is under way then ends by
/// itself, and is counted.
const MARGIN: Duration = Duration::from_secs(1);

/// Where finished spans go. A clone is the same one.
#[derive(Clone)]
pub enum Design {
    /// On the loop, beside the requests.
    Async(Exporter, Patience),
    /// The loop stands still until an export is over.
    Sync(Waiting),
    /// A thread of its own, which swaps the buffer under a lock, or holds the lock while it exports.
    Thread(Threaded),
    /// The batch processor of OpenTelemetry's SDK, which has a thread of its own too.
    Sdk(Sdk, Patience),
}

/// How long a stop may take.
type Patience = Duration;

impl Design {
    pub fn start(chosen: Chosen) -> Result<Design, Failure> {
        let Chosen { design, settings } = chosen;
        let patience = settings.target.timeout + MARGIN;
        Ok(match design.as_str() {
            "async" => Design::Async(Exporter::start(settings), patience),
            "sync" => Design::Sync(Waiting::start(settings)?),
            "thread" => Design::Thread(Threaded::start(settings, false)?),
            "thread-held" => Design::Thread(Threaded::start(settings, true)?),
            "sdk" => Design::Sdk(Sdk::start(settings)?, patience),
            other => Err(format!(
                "LOOP_DESIGN={other}: it must be async, sync, thread, thread-held or sdk"
            ))?,
        })
    }

    pub fn record(&self, span: Span) {
        match self {
            Design::Async(exporter, _) => exporter.record(span),
            Design::Sync(waiting) => waiting.record(span),
            Design::Thread(threaded) => threaded.record(span),
            Design::Sdk(sdk, _) => sdk.record(span),
        }
    }

    /// Exports what is buffered, and says what became of all spans: also of those for which there
    /// was no time any more, which are lost.
    pub async fn stop(&self) -> Counts {
        match self {
            Design::Async(exporter, patience) => exporter.flush(*patience).await,
            Design::Sync(waiting) => waiting.stop(),
            Design::Thread(threaded) => threaded.stop(),
            Design::Sdk(sdk, patience) => sdk.stop(*patience),
        }
    }
}

/// Books the end of an export of so many spans.
pub fn settle(counts: &mut Counts, count: usize, outcome: Result<usize, String>) {
    let delivered = outcome.unwrap_or(0);
    counts.buffered -= count as u64;
    counts.delivered += delivered as u64;
    counts.failed += (count - delivered) as u64;
}
