# Contests with an order effect and a covariate, by BradleyTerry2: votes of style.py without ties, model_a shown first.
# python -c "import polars; from style import votes; polars.DataFrame(votes()).write_csv('/tmp/style.csv')"
# Rscript contests.R, with BradleyTerry2 1.1-2 and R 4.2.2
suppressMessages(library(BradleyTerry2))
d <- read.csv("/tmp/style.csv")
d <- d[d$winner != "tie", ]
all <- sort(unique(c(d$model_a, d$model_b)))
d$won <- as.integer(d$winner == "model_a")
d$lost <- 1 - d$won
d$first <- data.frame(system = factor(d$model_a, all), shown = 1, z = d$length_a / 100)
d$second <- data.frame(system = factor(d$model_b, all), shown = 0, z = d$length_b / 100)
fit <- BTm(cbind(won, lost), first, second, formula = ~ system + shown + z, id = "system", data = d, epsilon = 1e-14)
options(digits = 10)
print(coef(fit))
print(sqrt(diag(vcov(fit))))
print(logLik(fit), digits = 12)
