//! What the exporter costs: `cost RECEIVER SPANS` records so many spans, exports them in batches of 125, and says what CPU
//! time a span took and what became of all. The time is this thread's, which does everything; that of the same loop
//! without an exporter is taken away.

use std::error::Error;
use std::time::{Duration, SystemTime};

use loop_exporter::{Counts, Exporter, Kind, Settings, Span, Target, Value};

const FLUSH: usize = 125;
const WITHIN: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [receiver, spans] = &arguments[..] else {
        return Err("usage: cost RECEIVER SPANS".into());
    };
    let spans: u64 = spans.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = tokio::task::LocalSet::new();
    let (bare, _) = local.block_on(&runtime, run(None, spans))?;
    let (traced, counts) = local.block_on(&runtime, run(Some(receiver), spans))?;
    let each = (traced.as_secs_f64() - bare.as_secs_f64()) * 1e6 / spans as f64;
    println!(
        "{each:.2} µs a span, {} recorded, {} delivered, {} dropped, {} failed, {} buffered",
        counts.recorded, counts.delivered, counts.dropped, counts.failed, counts.buffered
    );
    Ok(())
}

/// CPU time of so many turns of the loop, in which a span each is recorded if there is a receiver.
async fn run(receiver: Option<&String>, spans: u64) -> Result<(Duration, Counts), Box<dyn Error>> {
    let before = cpu()?;
    let exporter = receiver.map(|receiver| Exporter::start(settings(receiver.clone())));
    for number in 0..spans {
        if let Some(exporter) = &exporter {
            exporter.record(span(number));
        }
        tokio::task::yield_now().await;
        // The loop is faster than any server: it lets the receiver keep up, so that nothing is dropped.
        while exporter
            .as_ref()
            .is_some_and(|e| e.counts().buffered > 4 * FLUSH as u64)
        {
            tokio::time::sleep(Duration::from_micros(100)).await;
        }
    }
    let counts = match &exporter {
        Some(exporter) => exporter.flush(WITHIN).await,
        None => Counts::default(),
    };
    Ok((cpu()? - before, counts))
}

fn settings(receiver: String) -> Settings {
    Settings {
        target: Target {
            receiver,
            service: "cost".into(),
            scope: "cost",
            timeout: WITHIN,
        },
        flush: FLUSH,
        delay: WITHIN,
        buffer: 8 * FLUSH,
        pending: 64,
    }
}

/// A server's span, as the proxy of this workspace records it.
fn span(number: u64) -> Span {
    let now = SystemTime::now();
    let mut trace = [1; 16];
    trace[8..].copy_from_slice(&number.to_be_bytes());
    Span {
        trace,
        id: (number + 1).to_be_bytes(),
        parent: None,
        name: "GET".into(),
        kind: Kind::Server,
        start: now,
        end: now,
        attributes: vec![
            ("http.request.method", Value::Text("GET".into())),
            ("url.path", Value::Text("/now".into())),
            ("http.response.status_code", Value::Int(200)),
        ],
        failed: false,
    }
}

/// Time that this thread has been on a CPU.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")
        .map_err(|e| format!("reading this thread's CPU time, which needs Linux: {e}"))?;
    let first = text.split(' ').next().unwrap_or_default();
    Ok(Duration::from_nanos(first.parse()?))
}
