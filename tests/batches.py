"""An endpoint with files and batches on loopback, which end as they are told to."""

from __future__ import annotations

import json
from collections import Counter
from urllib.parse import parse_qs

import hostile


class Batches:
    """An endpoint with files and batches, which end as they are told to.

    Parameters
    ----------
    end : str
        Status with which a batch ends.
    looks : float
        Looks at a batch before it ends; infinite until somebody changes that.
    spoil : callable, optional
        Changes the lines of the answers.
    refuse : sequence of bytes
        What the first requests get instead of an answer.
    page : int
        Batches in one answer that lists them.
    """

    def __init__(self, end="completed", looks=2, spoil=None, refuse=(), page=100):
        self.end, self.looks, self.spoil, self.refuse, self.page = end, looks, spoil, list(refuse), page
        self.files, self.batches, self.looked, self.keys = {}, {}, {}, set()

    @property
    def sent(self):
        """How often each question is in a batch, by what was asked."""
        files = (self.files[batch["input_file_id"]] for batch in list(self.batches.values()))
        lines = (json.loads(line) for content in files for line in content.splitlines())
        return Counter(json.dumps(line["body"]["messages"]) for line in lines)

    async def handle(self, asked):
        self.keys.add(asked.headers.get("authorization"))
        path = asked.path.removeprefix("/v1").partition("?")[0]
        if self.refuse:
            answer = self.refuse.pop(0)
        elif asked.method == "POST" and path == "/files":
            answer = self.upload(asked)
        elif asked.method == "POST" and path == "/batches":
            answer = self.create(asked.said)
        elif path == "/batches":
            answer = self.listed(parse_qs(asked.path.partition("?")[2]).get("after", [None])[0])
        elif path.startswith("/batches/"):
            answer = self.look(path.split("/")[2])
        else:
            answer = self.files[path.split("/")[2]]
        asked.writer.write(
            answer if isinstance(answer, bytes) and answer.startswith(b"HTTP") else hostile.packed(answer)
        )

    def listed(self, after):
        """The latest first, a page at a time."""
        names = list(self.batches)[::-1]
        start = names.index(after) + 1 if after else 0
        shown = [self.batches[name] for name in names[start : start + self.page]]
        return {"data": ["nonsense", {}, *shown], "has_more": start + self.page < len(names)}

    def upload(self, asked):
        boundary = asked.headers["content-type"].partition("boundary=")[2].encode()
        parts = asked.body.split(b"--" + boundary)
        assert any(b'name="purpose"' in part and b"batch" in part for part in parts)
        content = next(part.partition(b"\r\n\r\n")[2] for part in parts if b'name="file"' in part)
        return {"id": self.keep(content.removesuffix(b"\r\n"))}

    def keep(self, content):
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def create(self, said):
        assert (said["endpoint"], said["completion_window"]) == ("/v1/chat/completions", "24h")
        name = f"batch-{len(self.batches)}"
        self.batches[name] = {"id": name, "status": "in_progress", "input_file_id": said["input_file_id"]} | {
            "metadata": said.get("metadata")
        }
        return self.batches[name]

    def look(self, name):
        batch = self.batches[name]
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] > self.looks and batch["status"] == "in_progress":
            self.finish(batch)
        return batch

    def finish(self, batch):
        batch["status"] = self.end
        if self.end == "failed":
            batch["errors"] = {"data": [{"code": "invalid_model", "message": "no such model"}]}
            return
        lines = [self.line(json.loads(line)) for line in self.files[batch["input_file_id"]].splitlines()]
        if self.spoil:
            lines = self.spoil(lines)
        good = [line for line in lines if not isinstance(line, dict) or line.get("error") is None]
        bad = [line for line in lines if isinstance(line, dict) and line.get("error") is not None]
        batch["output_file_id"] = self.keep(self.jsonl(good))
        batch["error_file_id"] = self.keep(self.jsonl(bad)) if bad else None

    @staticmethod
    def jsonl(lines):
        return b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)

    @staticmethod
    def line(asked):
        assert (asked["method"], asked["url"]) == ("POST", "/v1/chat/completions")
        score = hostile.truth(asked["body"]["messages"])
        response = {"status_code": 200, "body": hostile.chat(json.dumps({"score": score}))}
        return {"custom_id": asked["custom_id"], "response": response, "error": None}
