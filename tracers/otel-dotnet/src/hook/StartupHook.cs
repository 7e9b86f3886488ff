// What the runtime runs before Main (DOTNET_STARTUP_HOOKS). It needs nothing but the runtime, and loads the tracing by name
// from a folder that is not on the program's path.

using System.Reflection;
using System.Runtime.Loader;

// The runtime wants this name, and no namespace.
internal class StartupHook
{
    public static void Initialize()
    {
        try
        {
            // A web program has ASP.NET's shared framework, which brings a part of what OpenTelemetry needs; another one has not.
            var web = ((string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "").Contains("Microsoft.AspNetCore.Http.Abstractions.dll", StringComparison.Ordinal);
            var home = Path.GetDirectoryName(Path.GetDirectoryName(typeof(StartupHook).Assembly.Location)!)!;
            var folder = Path.Combine(home, web ? "web" : "plain");
            AssemblyLoadContext.Default.Resolving += (context, name) =>
            {
                var file = Path.Combine(folder, name.Name + ".dll");
                return File.Exists(file) ? context.LoadFromAssemblyPath(file) : null;
            };
            var tracing = AssemblyLoadContext.Default.LoadFromAssemblyPath(Path.Combine(folder, "Tracing.dll"));
            tracing.GetType("Tracing", throwOnError: true)!.GetMethod("Start", BindingFlags.Public | BindingFlags.Static)!.Invoke(null, null);
        }
        catch (Exception why) // one that leaves here would end the program
        {
            Console.Error.WriteLine($"tracetax: this program is not traced: {(why as TargetInvocationException)?.InnerException ?? why}");
        }
    }
}
