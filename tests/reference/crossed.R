# Mean squares, F tests, Greenhouse-Geisser's epsilon and REML components of crossed panels.
# The data come from a congruential generator, so that they need no file.
# Run in this folder: Rscript -e 'source("crossed.R", echo = TRUE, max.deparse.length = Inf)' > crossed.txt
suppressMessages(library(lme4))
options(digits = 12)
R.version.string
as.character(packageVersion("lme4"))

uniform <- function(n) { out <- numeric(n); for (k in seq_len(n)) { state <<- (16807 * state) %% 2147483647; out[k] <- state / 2147483647 }; out }
normal <- function(n) qnorm(uniform(n))

# Scores to two decimals of n scenarios, m generations of each, and judges with these effects and standard deviations
panel <- function(seed, n, m, judges, sd, interaction) {
  state <<- seed
  frame <- expand.grid(judge = seq_along(judges), generation = seq_len(m), item = seq_len(n))
  drawn <- function(sd, key) sd * normal(max(key))[key]
  score <- 5 + judges[frame$judge] + drawn(1.2, frame$item) + drawn(0.7, (frame$item - 1) * m + frame$generation) +
    drawn(interaction, (frame$item - 1) * length(judges) + frame$judge) + sd[frame$judge] * normal(nrow(frame))
  data.frame(lapply(frame, factor), score = floor(100 * score + 0.5) / 100)
}
data <- list(
  plain = panel(20260601, 12, 3, c(0, 0.4, -0.5, 0.1), rep(0.8, 4), 0),
  interacting = panel(20260602, 14, 4, c(0, 0.2, -0.3), rep(0.6, 3), 0.8),
  unequal = panel(20260603, 15, 2, c(0, 0.6, -0.4, 0.2, 0), c(0.2, 0.4, 0.8, 1.2, 1.6), 0.3),
  single = panel(20260604, 10, 1, c(0.3, 0, -0.6), rep(0.9, 3), 0.4),
  pair = panel(20260605, 8, 3, c(0, 0.5), rep(0.7, 2), 0.5))

mean_square <- function(fit, stratum, row) { found <- summary(fit[[stratum]])[[1]]; rownames(found) <- trimws(rownames(found)); as.list(setNames(found[row, ], c("df", "ss", "ms", "f", "p"))) }

out <- lapply(setNames(names(data), names(data)), function(name) {
  frame <- data[[name]]; m <- nlevels(frame$generation); k <- nlevels(frame$judge)
  # With scenario:judge: every mean square in its stratum
  separated <- if (m > 1) aov(score ~ judge + Error(item / (generation + judge)), frame) else aov(score ~ judge + Error(item / judge), frame)
  cat("\n", name, ": with scenario:judge\n"); print(summary(separated))
  # Without: the pair of scenario and generation is the subject, and what is left its residual
  frame$subject <- interaction(frame$item, frame$generation, drop = TRUE)
  pooled <- aov(score ~ judge + Error(subject), frame)
  cat("\n", name, ": without\n"); print(summary(pooled))
  # One row per scenario, one column per judge
  means <- tapply(frame$score, list(frame$item, frame$judge), mean)
  several <- lm(means ~ 1)
  spherical <- anova(several, X = ~1, test = "Spherical")
  cat("\n", name, ": Greenhouse-Geisser\n"); print(spherical)
  random <- if (m > 1) "(1 | item) + (1 | item:generation) + (1 | item:judge)" else "(1 | item)"
  fit <- lmer(as.formula(paste("score ~ judge +", random)), frame, control = lmerControl(optimizer = "bobyqa", calc.derivs = FALSE, optCtrl = list(rhobeg = 0.2, rhoend = 1e-11, maxfun = 1e6), check.conv.singular = "ignore"))
  cat("\n", name, ": REML\n"); print(VarCorr(fit), comp = "Variance")
  components <- as.data.frame(VarCorr(fit))
  list(
    score = aperm(array(frame$score, c(k, m, nlevels(frame$item))), 3:1),
    scenario = mean_square(separated, "item", "Residuals"),
    generation = if (m > 1) mean_square(separated, "item:generation", "Residuals"),
    judge = mean_square(separated, "item:judge", "judge"),
    interaction = mean_square(separated, "item:judge", "Residuals"),
    within = if (m > 1) mean_square(separated, "Within", "Residuals"),
    judge_pooled = mean_square(pooled, "Within", "judge"),
    pooled = mean_square(pooled, "Within", "Residuals"),
    epsilon = stats:::sphericity(SSD(several), X = ~1)$GG.eps,
    p_adjusted = spherical[1, "G-G Pr"],
    reml = as.list(setNames(components$vcov, components$grp)))
})
str(out, digits.d = 12, vec.len = 8)
writeLines(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = FALSE, null = "null"), "crossed.json")
