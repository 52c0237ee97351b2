# Rankings with ties: the model of Plackett and Luce as R's PlackettLuce 0.4.5 has it, on the rankings of rankings.py.
# python rankings.py; Rscript rankings.R, with R 4.2.2; the package is not built for this R, so its source is read:
# git clone https://github.com/hturner/PlackettLuce /tmp/PlackettLuce (commit 411b1ef)
suppressMessages({library(Matrix); library(igraph); library(RSpectra)})
for (f in list.files("/tmp/PlackettLuce/R", full.names = TRUE)) source(f)
r <- as.rankings(as.matrix(read.csv("/tmp/rankings.csv")))
fit <- PlackettLuce(r, npseudo = 0, epsilon = 1e-12, maxit = c(10000, 100))
options(digits = 10)
print(coef(fit))
print(sqrt(diag(vcov(fit))))
print(logLik(fit), digits = 12)
