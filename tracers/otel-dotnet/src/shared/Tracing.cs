// OpenTelemetry as a user sets it up, for a program that knows nothing of it. What the SDK reads from variables itself is
// left to it: sampler, batch processor, exporters' addresses, resource.

using System.Diagnostics;
using System.Runtime.Loader;
using OpenTelemetry;
using OpenTelemetry.Context.Propagation;
using OpenTelemetry.Exporter;
using OpenTelemetry.Trace;

public static class Tracing
{
    // Drivers that make spans by themselves, by the names of their sources. All sources (*) would bring those of the
    // runtime's own experiments too: name look-up, sockets, waiting for a connection.
    private static readonly string[] Databases = ["Npgsql", "MySqlConnector", "StackExchange.Redis"];

    public static void Start()
    {
        if (Is("OTEL_SDK_DISABLED", "true"))
        {
            return;
        }
        Propagate();
        var builder = Sdk.CreateTracerProviderBuilder();
        Instrument(builder);
        Export(builder);
        var provider = builder.Build();
        // Not at ProcessExit: the runtime has stopped all listeners by then, and the SDK could no longer say what it dropped.
        AssemblyLoadContext.Default.Unloading += _ => provider.Dispose();
    }

    private static void Propagate()
    {
        var all = Value("OTEL_PROPAGATORS", "tracecontext,baggage").Split(',').Select(name => (TextMapPropagator)(name.Trim() switch
        {
            "tracecontext" => new TraceContextPropagator(),
            "baggage" => new BaggagePropagator(),
            _ => throw new ArgumentException($"OTEL_PROPAGATORS names {name}; there are tracecontext and baggage"),
        }));
        Sdk.SetDefaultTextMapPropagator(new CompositeTextMapPropagator(all));
    }

    private static void Instrument(TracerProviderBuilder builder)
    {
#if WEB
        builder.AddAspNetCoreInstrumentation();
        Told("aspnetcore");
#endif
        builder.AddHttpClientInstrumentation();
        Told("http");
        if (!Is("TRACETAX_INSTRUMENT", "http"))
        {
            builder.AddSource(Databases);
        }
        var own = Value("TRACETAX_SOURCES", "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        if (own.Length > 0)
        {
            builder.AddSource(own);
        }
    }

    private static void Export(TracerProviderBuilder builder)
    {
        var simple = Is("TRACETAX_PROCESSOR", "simple");
        if (Is("TRACETAX_KEEP", "errors"))
        {
            Keep(builder, simple);
            return;
        }
        switch (Value("OTEL_TRACES_EXPORTER", "otlp"))
        {
            case "otlp":
                builder.AddOtlpExporter(options => options.ExportProcessorType = simple ? ExportProcessorType.Simple : ExportProcessorType.Batch);
                break;
            case "zipkin":
#pragma warning disable CS0618 // OpenTelemetry retires its Zipkin exporters; they are measured as long as they are there
                builder.AddZipkinExporter(options => options.ExportProcessorType = simple ? ExportProcessorType.Simple : ExportProcessorType.Batch);
#pragma warning restore CS0618
                break;
            case "none":
                break;
            case var other:
                throw Unknown(other);
        }
    }

    // The same exporters and processors, with one before them that decides; the builder has no way to put it there.
    private static void Keep(TracerProviderBuilder builder, bool simple)
    {
        BaseExporter<Activity> exporter;
        switch (Value("OTEL_TRACES_EXPORTER", "otlp"))
        {
            case "otlp":
                exporter = new OtlpTraceExporter(new OtlpExporterOptions());
                break;
            case "zipkin":
#pragma warning disable CS0618 // as above
                exporter = new ZipkinExporter(new ZipkinExporterOptions());
#pragma warning restore CS0618
                break;
            case "none":
                return;
            case var other:
                throw Unknown(other);
        }
        var batch = new BatchExportActivityProcessorOptions();
        builder.AddProcessor(new ErrorsOnly(simple
            ? new SimpleActivityExportProcessor(exporter)
            : new BatchActivityExportProcessor(exporter, batch.MaxQueueSize, batch.ScheduledDelayMilliseconds, batch.ExporterTimeoutMilliseconds, batch.MaxExportBatchSize)));
    }

    private static ArgumentException Unknown(string exporter) => new($"OTEL_TRACES_EXPORTER is {exporter}; there are otlp, zipkin and none");

    // A line for each library that is instrumented.
    private static void Told(string name) => Console.Error.WriteLine($"tracetax: instrumented {name}");

    private static bool Is(string name, string value) => Environment.GetEnvironmentVariable(name) == value;

    private static string Value(string name, string otherwise) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : otherwise;
}
