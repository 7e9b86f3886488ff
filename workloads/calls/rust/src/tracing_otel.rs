//! The SDK of OpenTelemetry, set up from the standard OTEL_* variables. The sampler, the
//! batch processor, the exporter and the resource read theirs by themselves.

use std::{env, io};

use opentelemetry::global;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Runtime;
use tracing_subscriber::filter::LevelFilter;

use crate::Result;

/// Installs the SDK, unless OTEL_SDK_DISABLED leaves only the API, and returns what
/// exports the last spans and stops it. The SDK's own warnings go to stderr, among them
/// how many spans it dropped.
pub fn start() -> Result<impl FnOnce() -> Result<()>> {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_max_level(LevelFilter::WARN)
        .init();
    let installed = if disabled() { None } else { Some(install()?) };
    Ok(move || {
        if let Some((provider, _runtime)) = installed {
            provider.shutdown()?;
        }
        Ok(())
    })
}

/// The gRPC exporter works on a runtime of Tokio, which has to live as long as the provider.
fn install() -> Result<(SdkTracerProvider, Runtime)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let mut provider = SdkTracerProvider::builder();
    if exports()? {
        let _entered = runtime.enter();
        let exporter = match protocol().as_str() {
            "grpc" => SpanExporter::builder().with_tonic().build()?,
            "http/protobuf" => SpanExporter::builder().with_http().build()?,
            other => Err(format!(
                "the OTLP protocol is {other}: use grpc or http/protobuf"
            ))?,
        };
        provider = provider.with_batch_exporter(exporter);
    }
    let provider = provider.build();
    global::set_tracer_provider(provider.clone());
    Ok((provider, runtime))
}

/// The SDK does not read this variable.
fn disabled() -> bool {
    env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Nor this one.
fn exports() -> Result<bool> {
    match env::var("OTEL_TRACES_EXPORTER").as_deref() {
        Ok("none") => Ok(false),
        Ok("otlp" | "") | Err(_) => Ok(true),
        Ok(other) => Err(format!("OTEL_TRACES_EXPORTER is {other}: use otlp or none"))?,
    }
}

fn protocol() -> String {
    env::var("OTEL_EXPORTER_OTLP_PROTOCOL").unwrap_or_else(|_| "http/protobuf".into())
}
