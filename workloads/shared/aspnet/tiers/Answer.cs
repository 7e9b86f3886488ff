// What a tier answers: what the next one answered, or its own where it is the last.

namespace Tiers;

internal static class Answer
{
    public static async Task Pass(HttpContext context, IHttpClientFactory clients)
    {
        using var answer = await clients.CreateClient("next").GetAsync(context.Request.Path + context.Request.QueryString, context.RequestAborted);
        await Write(context, (int)answer.StatusCode, await answer.Content.ReadAsByteArrayAsync(context.RequestAborted));
    }

    public static Task Compute(HttpContext context, string work) =>
        Work.All.TryGetValue(work, out var compute)
            ? Write(context, StatusCodes.Status200OK, compute(context.Request))
            : Write(context, StatusCodes.Status404NotFound, "there is no such work"u8.ToArray());

    public static async Task Write(HttpContext context, int status, byte[] body)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }
}
