# Contrasts of the mean scores of judges and systems: by a mixed model, by items, and by a sandwich over items.
# The data come from a congruential generator, so that they need no file.
# Run in this folder: Rscript -e 'source("bias.R", echo = TRUE, max.deparse.length = Inf)' > bias.txt
suppressMessages({library(lme4); library(lmerTest); library(pbkrtest)})
options(digits = 12)
R.version.string
sapply(c("lme4", "lmerTest", "pbkrtest"), function(p) as.character(packageVersion(p)))

state <- 0
uniform <- function(n) { out <- numeric(n); for (k in seq_len(n)) { state <<- (16807 * state) %% 2147483647; out[k] <- state / 2147483647 }; out }
normal <- function(n) qnorm(uniform(n))
effect <- function(sd, ...) { key <- interaction(..., drop = TRUE); sd * normal(nlevels(key))[as.integer(key)] }
two <- function(x) floor(100 * x + 0.5) / 100
combine <- function(frame) { frame$both <- interaction(frame$judge, frame$system, lex.order = TRUE); frame }

# 10 items x 5 prompts x 3 judges x 2 systems, one cell in eleven missing by a rule
state <- 20260601
prompts <- expand.grid(system = c("s", "t"), judge = c("a", "b", "c"), prompt = c("o", "p", "q", "r", "u"), item = 1:10)
prompts <- combine(subset(prompts, (7 * item + 3 * as.integer(prompt) + 5 * as.integer(judge) + 2 * as.integer(system)) %% 11 != 0))
prompts$score <- with(prompts, two(5 + 0.8 * (judge == "b") - 0.4 * (judge == "c" & system == "t") + effect(1, item) + effect(0.9, prompt) + effect(0.7, item, prompt) + effect(0.7, item, judge) + effect(0.7, item, system) + effect(0.8, item, both) + effect(0.7, prompt, judge) + effect(0.7, prompt, system) + effect(0.7, prompt, both) + 0.5 * normal(nrow(prompts))))

# 9 items x 3 judges x 2 systems, complete; judges of unequal noise
state <- 20260602
paired <- combine(expand.grid(system = c("s", "t"), judge = c("a", "b", "c"), item = 1:9))
paired$score <- with(paired, two(5 + 0.6 * (judge == "b") + effect(1, item) + effect(0.5, item, judge) + effect(0.6, item, system) + c(a = 0.2, b = 0.5, c = 1.2)[judge] * normal(nrow(paired))))

# The same judges, 7 items of system s and 5 others of system t
state <- 20260603
unpaired <- combine(subset(expand.grid(judge = c("a", "b", "c"), item = 1:12), TRUE) |> transform(system = ifelse(item <= 7, "s", "t")))
unpaired$score <- with(unpaired, two(5 + 0.6 * (judge == "b") + effect(1, item) + effect(0.5, item, judge) + c(a = 0.2, b = 0.5, c = 1.2)[judge] * normal(nrow(unpaired))))

# The paired table with one cell in nine missing by a rule
gaps <- subset(paired, (5 * item + 3 * as.integer(judge) + 7 * as.integer(system)) %% 9 != 0)

tight <- lmerControl(optimizer = "bobyqa", calc.derivs = FALSE, optCtrl = list(rhobeg = 0.2, rhoend = 1e-10, maxfun = 1e6), check.conv.singular = "ignore")
# Rows: the bias of each judge averaged over the systems; of each judge for each system; system s less t for judge a.
# Columns: a.s, a.t, b.s, b.t, c.s, c.t
centred <- diag(3) - 1 / 3
L <- rbind(kronecker(centred, t(c(0.5, 0.5))), kronecker(centred, diag(2)), c(1, -1, 0, 0, 0, 0))

# 1. Mixed model: Kenward-Roger standard errors and degrees of freedom; lmerTest's F for the judges' main effect
fit <- lmerTest::lmer(score ~ 0 + both + (1 | item) + (1 | prompt) + (1 | item:judge) + (1 | item:system) + (1 | item:both) + (1 | prompt:judge) + (1 | prompt:system) + (1 | prompt:both) + (1 | item:prompt), prompts, control = tight)
print(summary(fit, correlation = FALSE, ddf = "lme4"))
adjusted <- as.matrix(vcovAdj(fit))
one <- lapply(seq_len(nrow(L)), function(i) contest1D(fit, L[i, ], ddf = "Kenward-Roger"))
lmertest <- contestMD(fit, L[2:3, ], ddf = "Satterthwaite")
lmertest
# The same with the adjusted variance of each independent direction, and Fai and Cornelius's df from Kenward-Roger's
axes <- t(eigen(L[2:3, ] %*% as.matrix(vcov(fit)) %*% t(L[2:3, ]))$vectors) %*% L[2:3, ]
nu <- sapply(1:2, function(i) contest1D(fit, axes[i, ], ddf = "Kenward-Roger")$df)
F <- mean(c(axes %*% fixef(fit))^2 / diag(axes %*% adjusted %*% t(axes)))
E <- sum(nu / (nu - 2)); df2 <- 2 * E / (E - 2)
mixed <- list(mean = unname(fixef(fit)), value = c(L %*% fixef(fit)), se = sqrt(diag(L %*% adjusted %*% t(L))), df = sapply(one, function(x) x$df),
  F = F, df2 = df2, lmertest_F = lmertest[["F value"]], lmertest_df2 = lmertest$DenDF)

# 2. By items, paired: a t test of each contrast's values, and Hotelling's test that the judges are alike
wide <- tapply(paired$score, list(paired$item, paired$both), mean)
tests <- lapply(seq_len(nrow(L)), function(i) t.test(wide %*% L[i, ]))
hotelling <- anova(lm(wide %*% t(L[2:3, ]) ~ 1), test = "Hotelling-Lawley")
hotelling
by_items <- list(value = c(L %*% colMeans(wide)), se = sapply(tests, function(x) unname(x$stderr)), df = sapply(tests, function(x) unname(x$parameter)),
  p = sapply(tests, function(x) x$p.value), F = hotelling[1, "approx F"], df2 = hotelling[1, "den Df"], joint_p = hotelling[1, "Pr(>F)"])

# 3. By items, unpaired: Welch's test of the difference between the systems by judge a; the bias of judge b over both
wide <- tapply(unpaired$score, list(unpaired$item, unpaired$judge), mean)
system <- ifelse(1:12 <= 7, "s", "t")
welch <- t.test(wide[system == "s", "a"], wide[system == "t", "a"])
bias <- wide %*% centred[2, ]
sum_welch <- t.test(bias[system == "s"], -bias[system == "t"])
unpaired_tests <- list(difference = unname(diff(rev(welch$estimate))), difference_se = welch$stderr, difference_df = unname(welch$parameter),
  bias = mean(c(mean(bias[system == "s"]), mean(bias[system == "t"]))), bias_se = sum_welch$stderr / 2, bias_df = unname(sum_welch$parameter))

# 4. With gaps: generalised least squares at the REML components, and the sandwich clustered by item
gls <- lmerTest::lmer(score ~ 0 + both + (1 | item) + (1 | item:judge) + (1 | item:system), gaps, control = tight)
print(summary(gls, correlation = FALSE, ddf = "lme4"))
X <- getME(gls, "X"); Z <- getME(gls, "Z"); G <- getME(gls, "Lambda") %*% getME(gls, "Lambdat")
W <- solve(as.matrix(Z %*% G %*% t(Z)) + diag(nrow(X)))
weight <- solve(t(X) %*% W %*% X, t(X) %*% W)
influence <- sapply(sort(unique(gaps$item)), function(i) weight[, gaps$item == i, drop = FALSE] %*% (gaps$score - X %*% fixef(gls))[gaps$item == i])
clustered <- influence %*% t(influence) * 9 / 8
sandwich <- list(mean = unname(fixef(gls)), value = c(L %*% fixef(gls)), se = sqrt(diag(L %*% clustered %*% t(L))))

reference <- list(contrasts = L, mixed = mixed, by_items = by_items, unpaired = unpaired_tests, sandwich = sandwich)
str(reference, digits.d = 12, vec.len = 8)
keep <- c("item", "prompt", "judge", "system", "score")
columns <- function(frame) as.list(frame[intersect(keep, names(frame))])
data <- lapply(list(prompts = prompts, paired = paired, unpaired = unpaired, gaps = gaps), columns)
writeLines(jsonlite::toJSON(list(data = data, fits = reference), auto_unbox = TRUE, digits = NA, pretty = FALSE), "bias.json")
