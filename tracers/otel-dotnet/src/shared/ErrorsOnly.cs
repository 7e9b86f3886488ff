// Tail sampling in the process: of a trace its spans here are exported if one of them has an error.
//
// Each process decides for itself, as soon as none of the trace's spans is open in it: that is when the local root has
// ended, unless a child outlives it. Another process that had no error leaves its part of the same trace out.
//
// How many spans were left out is a line on stderr when the process ends, which tracetax reads.

using System.Diagnostics;
using OpenTelemetry;

/// <summary>Hands the spans of traces with an error to the processor behind it.</summary>
internal sealed class ErrorsOnly(BaseProcessor<Activity> behind) : CompositeProcessor<Activity>([behind])
{
    private const int MostTraces = 50_000; // that are held; beyond them the oldest is thrown away

    private sealed class Trace(ActivityTraceId id)
    {
        public readonly ActivityTraceId Id = id;
        public readonly List<Activity> Spans = [];
        public int Open;
        public bool Failed;
    }

    private readonly Lock held = new();
    private readonly Dictionary<ActivityTraceId, LinkedListNode<Trace>> traces = [];
    private readonly LinkedList<Trace> byAge = [];
    private long leftOut, dropped;

    public override void OnStart(Activity span)
    {
        base.OnStart(span);
        lock (held)
        {
            if (!traces.TryGetValue(span.TraceId, out var trace))
            {
                trace = traces[span.TraceId] = byAge.AddLast(new Trace(span.TraceId));
                if (traces.Count > MostTraces)
                {
                    dropped += byAge.First!.Value.Spans.Count;
                    Forget(byAge.First);
                }
            }
            trace.Value.Open++;
        }
    }

    public override void OnEnd(Activity span)
    {
        IReadOnlyList<Activity> kept;
        lock (held)
        {
            if (!traces.TryGetValue(span.TraceId, out var node)) // its trace was thrown away
            {
                dropped++;
                return;
            }
            var trace = node.Value;
            trace.Open--;
            trace.Spans.Add(span);
            trace.Failed |= span.Status == ActivityStatusCode.Error;
            if (trace.Open > 0)
            {
                return;
            }
            Forget(node);
            kept = Decided(trace);
        }
        PassOn(kept);
    }

    /// <summary>Decides on what is still held, and says what was left out. The SDK calls it once.</summary>
    protected override bool OnShutdown(int timeoutMilliseconds)
    {
        List<Activity> kept;
        string line;
        lock (held)
        {
            kept = [.. byAge.SelectMany(Decided)];
            byAge.Clear();
            traces.Clear();
            line = $"tracetax: sampled out {leftOut} spans, threw away {dropped} undecided";
        }
        PassOn(kept);
        var well = base.OnShutdown(timeoutMilliseconds);
        Console.Error.WriteLine(line);
        return well;
    }

    private void Forget(LinkedListNode<Trace> node)
    {
        traces.Remove(node.Value.Id);
        byAge.Remove(node);
    }

    // The spans to export; the others are counted.
    private IReadOnlyList<Activity> Decided(Trace trace)
    {
        if (trace.Failed)
        {
            return trace.Spans;
        }
        leftOut += trace.Spans.Count;
        return [];
    }

    private void PassOn(IReadOnlyList<Activity> spans)
    {
        foreach (var span in spans)
        {
            base.OnEnd(span);
        }
    }
}
