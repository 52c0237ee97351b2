# Exact and approximate tests of a share against one half: p-values, intervals, size, power, numbers of judgments, equivalence.
# Run in this folder: Rscript -e 'source("binomial.R", echo = TRUE, max.deparse.length = Inf)' > binomial.txt
options(digits = 12)
R.version.string

# 1. Two-sided p-values and exact intervals; Wilson's from prop.test without correction
cases <- data.frame(k = c(0, 1, 5, 8, 25, 28, 40, 50, 61, 260, 520), n = c(5, 6, 5, 20, 50, 50, 50, 50, 100, 500, 1000))
tests <- lapply(seq_len(nrow(cases)), function(i) {
  k <- cases$k[i]; n <- cases$n[i]; exact <- binom.test(k, n); wide <- binom.test(k, n, conf.level = 0.99)
  list(k = k, n = n, p = exact$p.value, exact = c(exact$conf.int), exact99 = c(wide$conf.int),
    wilson = c(suppressWarnings(prop.test(k, n, correct = FALSE))$conf.int))
})
str(tests[c(1, 6, 10)])

# 2. Critical values, by the quantile function; size; power. qbinom gives the smallest k with P(X <= k) >= a/2
critical <- function(n, alpha) { k <- qbinom(alpha / 2, n, 0.5); ifelse(2 * pbinom(k, n, 0.5) <= alpha, k, k - 1) }
reject <- function(n, p, alpha) { k <- critical(n, alpha); pbinom(k, n, p) + pbinom(n - k - 1, n, p, lower.tail = FALSE) }
ns <- c(1, 5, 6, 7, 12, 50, 100, 273, 274, 500, 749, 1000, 100000)
power <- lapply(c(0.05, 0.01), function(alpha) list(alpha = alpha, n = ns, critical = critical(ns, alpha), size = reject(ns, 0.5, alpha),
  p56 = reject(ns, 0.56, alpha), p40 = reject(ns, 0.40, alpha)))
str(power)

# 3. Smallest number from which on the exact power stays, every number looked at
stays <- function(p, alpha, target, most) { n <- seq_len(most); low <- n[reject(n, p, alpha) < target]; if (length(low)) max(low) + 1 else 1 }
grid <- expand.grid(margin = c(0.5, 0.321, 0.285, 0.19, 0.1, 0.06, 0.05), alpha = c(0.05, 0.01, 0.2), power = c(0.8, 0.9))
grid$exact <- mapply(function(d, a, b) stays(0.5 + d, a, b, ceiling(8 * (qnorm(1 - a / 2) + qnorm(b))^2 / (4 * d^2)) + 100), grid$margin, grid$alpha, grid$power)
grid$normal <- with(grid, ceiling((qnorm(1 - alpha / 2) + qnorm(power))^2 / (4 * margin^2)))
grid$variance <- with(grid, ceiling((qnorm(1 - alpha / 2) + qnorm(power) * sqrt(1 - 4 * margin^2))^2 / (4 * margin^2)))
print(grid)

# 4. Two one-sided tests: p-value as the larger one-sided one; region, size and power by enumeration of all outcomes
tost <- function(k, n, e) max(binom.test(k, n, 0.5 - e, alternative = "greater")$p.value, binom.test(k, n, 0.5 + e, alternative = "less")$p.value)
enumerate <- function(n, e, alpha) { k <- 0:n; claims <- pbinom(k - 1, n, 0.5 - e, lower.tail = FALSE) <= alpha & pbinom(k, n, 0.5 + e) <= alpha
  list(n = n, margin = e, alpha = alpha, most = if (any(claims)) max(k[claims]) else -1, size = sum(dbinom(k, n, 0.5 + e)[claims]),
    power = sum(dbinom(k, n, 0.5)[claims]), power_off = sum(dbinom(k, n, 0.5 + e / 3)[claims]), p = tost(round(0.48 * n), n, e)) }
equivalence <- lapply(list(c(20, 0.1, 0.05), c(69, 0.2, 0.05), c(100, 0.1, 0.05), c(281, 0.1, 0.05), c(500, 0.1, 0.01), c(1104, 0.05, 0.05)), function(x) enumerate(x[1], x[2], x[3]))
str(equivalence)
least <- function(e, alpha, target, most) { n <- 1:most; low <- n[sapply(n, function(m) enumerate(m, e, alpha)$power) < target]; max(low) + 1 }
equivalence_n <- list(list(margin = 0.2, n = least(0.2, 0.05, 0.9, 400)), list(margin = 0.15, n = least(0.15, 0.05, 0.8, 500)))
str(equivalence_n)

out <- list(tests = tests, power = power, sizes = grid, equivalence = equivalence, equivalence_n = equivalence_n)
writeLines(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = FALSE), "binomial.json")
