from __future__ import annotations

import pytest

from quorate.analysis.words import scrubbed


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("s3://KEY:SECRET@bucket/a.csv", "s3://…@bucket/a.csv"),
        ("s3://KEY:se/cr+e=t@bucket/a.csv", "s3://…@bucket/a.csv"),
        ("https://host/a.csv?X-Amz-Signature=abc&b=c", "https://host/a.csv?…"),
        ("https://host/a.csv#access_token=abc", "https://host/a.csv#…"),
        ("https:/user:pw@host/a.csv?token=x", "https:/…@host/a.csv?…"),
        ("https://ghp_abc@host/a.csv", "https://…@host/a.csv"),
        ("quorate analyze 'gs://u:p@b/c d.csv?t=1' --score s", "quorate analyze 'gs://…@b/c d.csv?t=1' --score s"),
        ("https://host/a@b/c.csv", "https://host/a@b/c.csv"),
        ("--api-key=sk-1 --auth-token abc password=x", "--api-key=… --auth-token … password=…"),
        ("/home/a@b/x.csv --facet judge=token_model", "/home/a@b/x.csv --facet judge=token_model"),
        ("C:/a@b/x.csv", "C:/a@b/x.csv"),
    ],
)
def test_what_opens_doors_is_left_out(text, left):
    assert scrubbed(text) == left
