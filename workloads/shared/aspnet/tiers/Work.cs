// The works of the last tier, each the same amount in every language.

using System.Globalization;
using System.Numerics;
using System.Text;

namespace Tiers;

internal static class Work
{
    private const int Digits = 20; // of pi
    private const int Guard = 10; // digits beyond them, for what is rounded away
    private const int Size = 40; // of a matrix

    private static readonly byte[] Large = Encoding.ASCII.GetBytes(new string('x', 4_000_000));

    public static readonly Dictionary<string, Func<HttpRequest, byte[]>> All = new()
    {
        ["small"] = _ => "x"u8.ToArray(),
        ["large"] = _ => Large,
        ["factorial"] = _ => Factorial(),
        ["pi"] = _ => Pi(),
        ["matrix"] = _ => Matrix(),
        ["fails"] = Fails,
    };

    private static byte[] Factorial()
    {
        var product = BigInteger.One;
        for (var n = 2; n <= 100; n++)
        {
            product *= n;
        }
        return Text(product);
    }

    /// <summary>The first digits of pi, by Machin's formula.</summary>
    private static byte[] Pi()
    {
        var one = BigInteger.Pow(10, Digits - 1 + Guard);
        return Text(4 * (4 * Arctan(5, one) - Arctan(239, one)) / BigInteger.Pow(10, Guard));
    }

    /// <summary>One times the arctangent of 1/x.</summary>
    private static BigInteger Arctan(int x, BigInteger one)
    {
        var power = one / x;
        var total = power;
        var sign = -1;
        for (var n = 3; !power.IsZero; n += 2)
        {
            power /= x * x;
            total += sign * (power / n);
            sign = -sign;
        }
        return total;
    }

    /// <summary>The sum over the product of a matrix with itself.</summary>
    private static byte[] Matrix()
    {
        var a = new long[Size, Size];
        for (var i = 0; i < Size; i++)
        {
            for (var j = 0; j < Size; j++)
            {
                a[i, j] = Size * i + j;
            }
        }
        var total = 0L;
        for (var i = 0; i < Size; i++)
        {
            for (var j = 0; j < Size; j++)
            {
                for (var k = 0; k < Size; k++)
                {
                    total += a[i, k] * a[k, j];
                }
            }
        }
        return Text(total);
    }

    /// <summary>Computes, or throws with probability p.</summary>
    private static byte[] Fails(HttpRequest request)
    {
        var p = request.Query["p"].ToString();
        if (p != "" && Random.Shared.NextDouble() < double.Parse(p, CultureInfo.InvariantCulture))
        {
            throw new ArithmeticException("as was asked for");
        }
        return Factorial();
    }

    private static byte[] Text(BigInteger n) => Encoding.ASCII.GetBytes(n.ToString(CultureInfo.InvariantCulture));
}
