# Writes fixtures.json: values of R's own functions that the tests of this
# package are held against. To write it again, in this folder:
#
#     Rscript fixtures.R > fixtures.json
#
# It needs base R only. Where R's own exact interval exists (no ties, no zeros)
# it is wilcox.test that speaks; the values of the exact null distribution are
# those of psignrank and qsignrank. The bands are found by bisection on pbinom,
# because qbinom itself is wrong in some R 4.2 versions (12345 for the lower
# 0.0005 quantile of 12345 trials at 0.9999).

# json turns named lists, vectors and scalars into JSON.
json <- function(x) {
  if (is.list(x) && !is.null(names(x)))
    return(paste0("{", paste0('"', names(x), '": ', sapply(x, json), collapse = ", "), "}"))
  if (is.list(x)) return(paste0("[\n  ", paste0(sapply(x, json), collapse = ",\n  "), "\n ]"))
  if (inherits(x, "AsIs")) return(paste0("[", paste0(sapply(unclass(x), json), collapse = ", "), "]"))
  if (is.character(x)) return(paste0('"', x, '"'))
  if (is.logical(x)) return(tolower(as.character(x)))
  if (length(x) > 1) return(paste0("[", paste0(sapply(x, json), collapse = ", "), "]"))
  sprintf("%.17g", x)
}

# signed is one fixture of the paired estimate: R's answer for the differences d.
signed <- function(name, d, confidence) {
  t <- wilcox.test(d, exact = TRUE, conf.int = TRUE, conf.level = confidence)
  cut <- max(qsignrank((1 - confidence) / 2, length(d)), 1) - 1
  list(name = name, d = I(d), asked = confidence, center = unname(t$estimate),
       low = t$conf.int[1], high = t$conf.int[2], achieved = 1 - 2 * psignrank(cut, length(d)),
       v = unname(t$statistic), greater = wilcox.test(d, exact = TRUE, alternative = "greater")$p.value)
}

# Hollander & Wolfe (1973), depression data: the example of ?wilcox.test.
x <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
y <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
# Darwin's heights of cross- and self-fertilised maize, in eighths of an inch:
# differences of fifteen pairs (The Effects of Cross and Self Fertilisation, 1876;
# analysed in Fisher, The Design of Experiments).
darwin <- c(49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)

set.seed(1876)
estimates <- list(
  signed("depression, 95 %", x - y, 0.95),
  signed("depression, 90 %", x - y, 0.90),
  signed("depression, 99 %", x - y, 0.99),
  signed("maize, 95 %", darwin, 0.95),
  signed("maize, 99 %", darwin, 0.99))
for (n in c(6, 7, 8, 10, 13, 20, 30, 49, 120)) for (c in c(0.90, 0.95))
  estimates[[length(estimates) + 1]] <- signed(sprintf("normal, n = %d", n), rnorm(n, 1, 2), c)
for (n in c(9, 12, 25, 40)) for (c in c(0.99, 0.995))
  estimates[[length(estimates) + 1]] <- signed(sprintf("Cauchy, n = %d", n), rcauchy(n), c)

nulls <- list()
for (n in c(1, 2, 5, 6, 10, 25, 50, 100, 300)) {
  k <- unique(floor(n * (n + 1) / 4 * c(0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)))
  nulls[[length(nulls) + 1]] <- list(n = n, k = I(k), below = I(psignrank(k, n)))
}

# first is the smallest count from 0 to n for which found(count) holds.
first <- function(n, found) {
  low <- -1; high <- n
  while (high - low > 1) {
    middle <- floor((low + high) / 2)
    if (found(middle)) high <- middle else low <- middle
  }
  high
}

bands <- list()
for (n in c(1, 10, 100, 12345, 1e6, 1e9, 1e13))
  for (p in c(1e-9, 1e-4, 0.01, 0.1, 0.5, 0.7, 0.9999))
    for (c in c(0.95, 0.999))
      bands[[length(bands) + 1]] <- list(n = n, p = p, confidence = c,
        low = first(n, function(k) pbinom(k, n, p) > (1 - c) / 2),
        high = first(n, function(k) pbinom(k, n, p, lower.tail = FALSE) <= (1 - c) / 2))

cat(json(list(source = R.version.string, estimates = estimates,
  null = nulls, bands = bands)), "\n", sep = "")
