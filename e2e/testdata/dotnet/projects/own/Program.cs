// A program that brings its own OpenTelemetry, where an address for its spans is given.
using OpenTelemetry.Trace;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
if (Environment.GetEnvironmentVariable("OTEL_EXPORTER_OTLP_ENDPOINT") is not null)
{
    builder.Services.AddOpenTelemetry().WithTracing(tracing => tracing.AddAspNetCoreInstrumentation().AddOtlpExporter());
}
var app = builder.Build();
app.MapGet("/", () => "x");
app.Run();
