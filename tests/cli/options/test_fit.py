from quorate.cli.options.groups import Fit


def test_how_a_model_is_fitted():
    plain = {"random": None, "covariates": (), "method": "reml", "residual_by": None, "level": 0.95, "interval": None}
    assert Fit(random=[]).arguments() == plain
    fit = Fit(random=["item"], covariate=["order"], method="ml", residual_by="judge", level=0.9)
    named = {
        "random": ["item"],
        "covariates": ["order"],
        "method": "ml",
        "residual_by": "judge",
        "level": 0.9,
        "interval": None,
    }
    assert fit.arguments() == named
    assert set(fit.given("scores")) == {"random", "covariate", "method", "residual_by"}
