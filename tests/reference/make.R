# Reference fits of small data sets. The data come from a congruential generator, so that they need no file.
# Run in this folder: Rscript -e 'source("make.R", echo = TRUE, max.deparse.length = Inf)' > transcript.txt
suppressMessages({library(lme4); library(pbkrtest); library(nlme)})
options(digits = 12)
R.version.string
sapply(c("lme4", "pbkrtest", "nlme"), function(p) as.character(packageVersion(p)))

state <- 20260417
uniform <- function(n) { out <- numeric(n); for (k in seq_len(n)) { state <<- (16807 * state) %% 2147483647; out[k] <- state / 2147483647 }; out }
normal <- function(n) qnorm(uniform(n))
effect <- function(sd, ...) { key <- interaction(..., drop = TRUE); sd * normal(nlevels(key))[as.integer(key)] }
two <- function(x) floor(100 * x + 0.5) / 100

# 8 items x 3 prompts x 2 judges, 1 to 3 answers a cell, two cells missing, items in 2 categories
crossed <- expand.grid(answer = 1:3, judge = c("a", "b"), prompt = c("p", "q", "r"), item = 1:8)
crossed <- subset(crossed, answer <= 1 + (item + (prompt == "q")) %% 3 & !(item == 2 & prompt == "r" & judge == "b") & !(item == 5 & prompt == "p"))
crossed$category <- ifelse(crossed$item <= 4, "c1", "c2")
crossed$length <- c(120, 85, 230, 40, 310, 150, 95, 180)[crossed$item]
crossed$score <- with(crossed, two(5 + 0.8 * (judge == "b") + effect(1, item) + effect(0.7, prompt) + effect(0.6, item, prompt) + effect(0.5, item, judge) + effect(0.4, item, prompt, judge) + 0.3 * normal(nrow(crossed))))

# 7 persons x 3 tasks, 4 raters of its own for each task, one answer missing
nested <- expand.grid(rater = 1:4, task = c("s", "t", "u"), person = 1:7)[-5, ]
nested$score <- with(nested, two(60 + effect(6, person) + effect(4, task) + effect(5, person, task) + effect(3, task, rater) + 4 * normal(nrow(nested))))

tight <- lmerControl(optimizer = "bobyqa", calc.derivs = FALSE, optCtrl = list(rhobeg = 0.2, rhoend = 1e-10, maxfun = 1e6))
fits <- list(
  crossed = lmer(score ~ judge + (1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | item:prompt:judge), crossed, control = tight),
  crossed_ml = lmer(score ~ judge + length + (1 | category) + (1 | item) + (1 | prompt) + (1 | item:prompt), crossed, REML = FALSE, control = tight),
  boundary = lmer(score ~ judge + (1 | category) + (1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge) + (1 | item:prompt:judge), crossed, control = tight),
  nested = lmer(score ~ 1 + (1 | person) + (1 | task) + (1 | person:task) + (1 | task:rater), nested, control = tight))
for (name in names(fits)) { cat("\n", name, "\n"); print(summary(fits[[name]], correlation = FALSE)) }

# A residual of its own for every judge
strata <- lme(score ~ judge, crossed, random = ~ 1 | item, weights = varIdent(form = ~ 1 | judge), control = lmeControl(tolerance = 1e-14, msTol = 1e-14, maxIter = 1000, msMaxIter = 1000, niterEM = 100))
strata
residual_sd <- strata$sigma * coef(strata$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)

summarise <- function(fit) {
  components <- as.data.frame(VarCorr(fit))
  se <- sqrt(diag(as.matrix(vcov(fit))))
  out <- list(reml = isREML(fit), criterion = if (isREML(fit)) REMLcrit(fit) else deviance(fit, REML = FALSE),
    components = as.list(setNames(components$vcov, components$grp)), fixef = as.list(fixef(fit)), se = as.list(se))
  if (isREML(fit)) out$kenward_roger_se <- as.list(sqrt(diag(as.matrix(vcovAdj(fit)))))
  out
}
reference <- lapply(fits, summarise)
reference$strata <- list(reml = TRUE, criterion = -2 * as.numeric(logLik(strata)),
  components = list(item = getVarCov(strata)[1, 1], a = residual_sd[["a"]]^2, b = residual_sd[["b"]]^2),
  fixef = as.list(fixef(strata)), se = as.list(sqrt(diag(strata$varFix))))
str(reference, digits.d = 12, vec.len = 1)
writeLines(jsonlite::toJSON(list(data = lapply(list(crossed = crossed, nested = nested), as.list), fits = reference), auto_unbox = TRUE, digits = NA, pretty = FALSE), "lme4.json")
