# Standard errors and degrees of freedom of means, and standard errors of components, for small data sets.
# The data come from a congruential generator, so that they need no file.
# Run in this folder: Rscript -e 'source("inference.R", echo = TRUE, max.deparse.length = Inf)' > inference.txt
suppressMessages({library(lme4); library(lmerTest); library(pbkrtest); library(numDeriv)})
options(digits = 12)
R.version.string
sapply(c("lme4", "lmerTest", "pbkrtest", "numDeriv"), function(p) as.character(packageVersion(p)))

state <- 0
uniform <- function(n) { out <- numeric(n); for (k in seq_len(n)) { state <<- (16807 * state) %% 2147483647; out[k] <- state / 2147483647 }; out }
normal <- function(n) qnorm(uniform(n))
effect <- function(sd, ...) { key <- interaction(..., drop = TRUE); sd * normal(nlevels(key))[as.integer(key)] }
two <- function(x) floor(100 * x + 0.5) / 100

# 10 items x 4 prompts x 3 judges, 1 to 3 answers a cell, a few cells missing by a rule
state <- 20260501
unbalanced <- expand.grid(answer = 1:3, judge = c("a", "b", "c"), prompt = c("p", "q", "r", "s"), item = 1:10)
unbalanced <- subset(unbalanced, answer <= 1 + (2 * item + as.integer(prompt) + as.integer(judge)) %% 3 & (7 * item + 3 * as.integer(prompt) + 5 * as.integer(judge)) %% 9 != 0)
unbalanced$score <- with(unbalanced, two(5 + 0.8 * (judge == "b") - 0.4 * (judge == "c") + effect(1, item) + effect(0.7, prompt) + effect(0.6, item, prompt) + effect(0.5, item, judge) + effect(0.5, item, prompt, judge) + 0.4 * normal(nrow(unbalanced))))

# 8 items x 4 prompts x 3 judges x 2 answers, complete
state <- 20260502
balanced <- expand.grid(answer = 1:2, judge = c("a", "b", "c"), prompt = c("p", "q", "r", "s"), item = 1:8)
balanced$score <- with(balanced, two(5 + 0.8 * (judge == "b") + effect(1, item) + effect(0.9, prompt) + effect(0.7, item, prompt) + effect(0.7, item, judge) + effect(0.5, prompt, judge) + effect(0.6, item, prompt, judge) + 0.4 * normal(nrow(balanced))))

# The same shape without any prompt or prompt:judge effect; the prompt component is estimated at zero
state <- 20260533
boundary <- balanced
boundary$score <- with(boundary, two(5 + 0.8 * (judge == "b") + effect(1, item) + effect(0.7, item, prompt) + effect(0.7, item, judge) + effect(0.6, item, prompt, judge) + 0.4 * normal(nrow(boundary))))

# 2 to 4 responses of its own for each of 9 items, 3 judges, one or two answers missing
state <- 20260504
nested <- expand.grid(judge = c("a", "b", "c"), response = 1:4, item = 1:9)
nested <- subset(nested, response <= 2 + item %% 3 & (item + 2 * response + 4 * as.integer(judge)) %% 13 != 0)
nested$score <- with(nested, two(60 + 3 * (judge == "c") + effect(6, item) + effect(5, item, response) + effect(4, item, judge) + 4 * normal(nrow(nested))))

tight <- lmerControl(optimizer = "bobyqa", calc.derivs = FALSE, optCtrl = list(rhobeg = 0.2, rhoend = 1e-10, maxfun = 1e6), check.conv.singular = "ignore")
data <- list(unbalanced = unbalanced, balanced = balanced, boundary = boundary, nested = nested)
terms <- list(
  unbalanced = c("item", "prompt", "item:prompt", "item:judge", "item:prompt:judge"),
  balanced = c("item", "prompt", "item:prompt", "item:judge", "prompt:judge", "item:prompt:judge"),
  boundary = c("item", "prompt", "item:prompt", "item:judge", "prompt:judge", "item:prompt:judge"),
  nested = c("item", "item:response", "item:judge"))
fits <- lapply(setNames(names(data), names(data)), function(name) {
  formula <- as.formula(paste("score ~ judge +", paste0("(1 | ", terms[[name]], ")", collapse = " + ")))
  lmerTest::lmer(formula, data[[name]], control = tight)
})
for (name in names(fits)) { cat("\n", name, "\n"); print(summary(fits[[name]], correlation = FALSE, ddf = "lme4")) }

# By dense matrices: the REML criterion on the scale of variances, its second derivatives, and their expectation
dense <- function(fit, terms, frame) {
  X <- model.matrix(fit, type = "fixed"); y <- frame$score; n <- nrow(X)
  A <- lapply(terms, function(term) { key <- do.call(interaction, c(frame[strsplit(term, ":")[[1]]], drop = TRUE)); outer(key, key, "==") * 1 })
  A <- c(A, list(diag(n)))
  at <- as.data.frame(VarCorr(fit)); theta <- at$vcov[match(c(terms, "Residual"), at$grp)]
  V <- function(theta) Reduce(`+`, Map(`*`, theta, A))
  P <- function(theta) { W <- solve(V(theta)); W - W %*% X %*% solve(t(X) %*% W %*% X, t(X) %*% W) }
  criterion <- function(theta) { v <- V(theta); (n - ncol(X)) * log(2 * pi) + c(determinant(v)$modulus) + c(determinant(t(X) %*% solve(v, X))$modulus) + c(t(y) %*% P(theta) %*% y) }
  mean_variance <- function(theta) { L <- c(1, rep(1 / nlevels(frame$judge), ncol(X) - 1)); c(t(L) %*% solve(t(X) %*% solve(V(theta), X), L)) }
  PA <- lapply(A, function(a) P(theta) %*% a)
  expected <- outer(seq_along(A), seq_along(A), Vectorize(function(s, t) sum(PA[[s]] * t(PA[[t]])) / 2))
  gradient <- numDeriv::grad(mean_variance, theta, side = ifelse(theta < 1e-8, 1, NA))
  observed <- if (min(theta) > 1e-6) numDeriv::hessian(criterion, theta) / 2
  df <- function(information) c(2 * mean_variance(theta)^2 / (t(gradient) %*% solve(information, gradient)))
  list(criterion = criterion(theta), expected_se = sqrt(diag(solve(expected))), expected_df = df(expected),
    observed_se = if (!is.null(observed)) sqrt(diag(solve(observed))), observed_df = if (!is.null(observed)) df(observed))
}

mean_of <- function(fit) {
  L <- c(1, 1 / 3, 1 / 3)
  satterthwaite <- contest1D(fit, L, ddf = "Satterthwaite"); kenward_roger <- contest1D(fit, L, ddf = "Kenward-Roger")
  list(value = satterthwaite$Estimate, plain_se = satterthwaite[["Std. Error"]], satterthwaite_df = satterthwaite$df,
    kenward_roger_se = sqrt(c(t(L) %*% as.matrix(vcovAdj(fit)) %*% L)), kenward_roger_df = kenward_roger$df)
}
reference <- lapply(setNames(names(fits), names(fits)), function(name) {
  at <- as.data.frame(VarCorr(fits[[name]]))
  c(list(criterion_lme4 = REMLcrit(fits[[name]]), components = as.list(setNames(at$vcov, at$grp)), terms = c(terms[[name]], "Residual")),
    mean_of(fits[[name]]), dense(fits[[name]], terms[[name]], data[[name]]))
})
str(reference, digits.d = 12, vec.len = 8)
writeLines(jsonlite::toJSON(list(data = lapply(data, as.list), fits = reference), auto_unbox = TRUE, digits = NA, pretty = FALSE, null = "null"), "inference.json")
