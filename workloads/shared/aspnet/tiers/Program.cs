// One tier of three: front passes a request on to middle, middle to back, and back computes.
//
// It holds nothing of tracing: that is attached from outside.
//
//     dotnet tiers.dll --urls http://127.0.0.1:8082
//     NEXT=http://127.0.0.1:8082 dotnet tiers.dll --urls http://127.0.0.1:8081

using Tiers;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();

var next = Environment.GetEnvironmentVariable("NEXT");
if (!string.IsNullOrEmpty(next))
{
    builder.Services.AddHttpClient("next", client =>
    {
        client.BaseAddress = new Uri(next);
        client.Timeout = TimeSpan.FromSeconds(10);
    })
    // A proxy of the machine is not for loopback.
    .ConfigurePrimaryHttpMessageHandler(() => new SocketsHttpHandler { UseProxy = false });
}

var app = builder.Build();
app.UseExceptionHandler(failed => failed.Run(context => Answer.Write(context, StatusCodes.Status500InternalServerError, "failed"u8.ToArray())));
if (!string.IsNullOrEmpty(next))
{
    app.MapGet("/{work}", Answer.Pass);
}
else
{
    app.MapGet("/{work}", Answer.Compute);
}
app.Run();
