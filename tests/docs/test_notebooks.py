from __future__ import annotations

import json
import re


def test_notebooks_are_those_of_their_pages(script):
    writer = script("notebooks/write.py")
    for path, text in writer.written().items():
        assert path.read_text(encoding="utf-8") == text, "run docs/notebooks/write.py"
    listed = re.findall(r"\]\((\S+)\.ipynb\)", (writer.HERE / "index.md").read_text(encoding="utf-8"))
    assert tuple(listed) == writer.GALLERY
    assert {path.stem for path in writer.HERE.glob("*.ipynb")} == set(writer.GALLERY)


def test_a_page_becomes_cells_with_what_they_print(script):
    page = (
        "# Title\n\n<!-- python\nx = 1\n-->\n\nSee [more](more.md) and [all](../all.md).\n\n"
        "```python\nprint(x)\n```\n\n"
        "<!-- output -->\n```text\n1\n```\n\n<!-- exit: 2 -->\n```bash\nquorate x\n```\n\n```text\nno block\n```\n"
    )
    made = script("notebooks/write.py").notebook(page)
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]]
    assert cells == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "See [more](../how-to/more.md) and [all](../all.md)."),
        ("code", "print(x)"),
        ("code", "%%sh --no-raise-error\nquorate x"),
        ("markdown", "```text\nno block\n```"),
    ]
    assert made["cells"][3]["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["1"]}]
    assert json.loads(json.dumps(made)) == made
