# A tiny table whose REML criterion has several minima, by three optimisers of lme4 from its default start.
# Run in this folder: Rscript -e 'source("local_minimum.R", echo = TRUE, max.deparse.length = Inf)' > local_minimum.txt
suppressMessages(library(lme4))
options(digits = 12, width = 110)
R.version.string
as.character(packageVersion("lme4"))
data <- data.frame(
  item = factor(c(0, 0, 0, 0, 1, 1, 1, 1, 1)),
  prompt = factor(c(0, 1, 1, 1, 0, 0, 1, 1, 1)),
  judge = factor(c(0, 0, 2, 2, 2, 2, 0, 1, 2)),
  score = c(5.777814162815541, 8.984386436256234, 6.742439402381782, 6.758264174859356, -1.6941000848270509,
            -1.569571306785706, 9.441042072072843, -17.815692231151452, -1.1491131991748764))
models <- list(
  fixed = score ~ judge + (1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge) + (1 | item:prompt:judge),
  all = score ~ (1 | judge) + (1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge) + (1 | item:prompt:judge),
  prompt = score ~ (1 | item) + (1 | prompt) + (1 | item:judge) + (1 | prompt:judge),
  pair = score ~ (1 | item) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge))
loose <- lmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nobs.vs.rankZ = "ignore", calc.derivs = FALSE)
for (name in names(models)) for (optimizer in c("bobyqa", "Nelder_Mead", "nloptwrap")) {
  fit <- suppressMessages(lmer(models[[name]], data, control = modifyList(loose, list(optimizer = optimizer))))
  cat(name, optimizer, REMLcrit(fit), "\n"); print(as.data.frame(VarCorr(fit))[, c("grp", "vcov")])
}
