# Writes ranksum.json: values of R's own functions that the tests of the estimate
# for two samples are held against. To write it again, in this folder:
#
#     Rscript ranksum.R > ranksum.json
#
# It needs base R only. No values are tied, so that wilcox.test gives its exact
# interval; the null distribution is that of pwilcox.

vector <- function(x) paste0("[", paste0(sprintf("%.17g", x), collapse = ", "), "]")
object <- function(...) {
  x <- list(...)
  paste0("{", paste0('"', names(x), '": ', unlist(x), collapse = ", "), "}")
}
array <- function(x) paste0("[\n  ", paste0(unlist(x), collapse = ",\n  "), "\n ]")
number <- function(x) sprintf("%.17g", x)
text <- function(x) paste0('"', x, '"')

# shift is one fixture: R's answer for how much value lies above base.
shift <- function(name, base, value, confidence) {
  t <- wilcox.test(value, base, exact = TRUE, conf.int = TRUE, conf.level = confidence)
  m <- length(base); n <- length(value)
  cut <- max(qwilcox((1 - confidence) / 2, m, n), 1) - 1
  object(name = text(name), base = vector(base), value = vector(value), asked = number(confidence),
         center = number(t$estimate), low = number(t$conf.int[1]), high = number(t$conf.int[2]),
         achieved = number(1 - 2 * pwilcox(cut, m, n)))
}

# Hollander & Wolfe (1973), 69f., permeability constants of the human chorioamnion
# at term and between 12 and 26 weeks: the example of ?wilcox.test.
term <- c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
early <- c(1.15, 0.88, 0.90, 0.74, 1.21)

set.seed(1945)
shifts <- list(
  shift("permeability, 95 %", early, term, 0.95),
  shift("permeability, 90 %", early, term, 0.90),
  shift("permeability, 99 %", early, term, 0.99))
for (m in c(4, 6, 8, 13, 30, 49)) for (n in c(5, 8, 20, 41)) for (c in c(0.95, 0.99))
  if (2 * pwilcox(0, m, n) <= 1 - c)
    shifts[[length(shifts) + 1]] <- shift(sprintf("normal, %d and %d", m, n), rnorm(m), rnorm(n, 1, 2), c)
for (n in c(8, 12, 25)) for (c in c(0.95, 0.999))
  shifts[[length(shifts) + 1]] <- shift(sprintf("Cauchy, %d each", n), rcauchy(n), rcauchy(n), c)

nulls <- list()
for (m in c(1, 2, 5, 8, 20, 49)) for (n in c(1, 4, 8, 30)) {
  u <- unique(floor(m * n / 2 * c(0, 0.1, 0.3, 0.5, 0.8, 1)))
  nulls[[length(nulls) + 1]] <- object(m = number(m), n = number(n), u = vector(u), below = vector(pwilcox(u, m, n)))
}

cat("{\"source\": ", text(R.version.string), ", \"shifts\": ", array(shifts), ", \"null\": ", array(nulls), "}\n", sep = "")
