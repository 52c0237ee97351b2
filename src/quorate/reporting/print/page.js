"use strict";
(() => {
  const tip = document.body.appendChild(document.createElement("dl"));
  tip.className = "tip";
  tip.hidden = true;
  const words = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });

  document.addEventListener("pointerover", ({ target, clientX, clientY }) => {
    const mark = target.closest("[data-t]");
    tip.hidden = !mark;
    if (!mark) return;
    const [table, row] = mark.dataset.t.split(".");
    const [heads, rows] = JSON.parse(mark.closest("[data-chart]").querySelector("script").textContent)[table];
    tip.replaceChildren(...heads.flatMap((head, i) => [words("dt", head), words("dd", rows[row][i])]));
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(clientX + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${clientY + 12 + height > innerHeight ? clientY - height - 8 : clientY + 12}px`;
  });

  const narrow = matchMedia("(max-width: 34rem)");
  const stack = () => {
    if (!narrow.matches) return;
    for (const table of document.querySelectorAll(".scroll > table:not(.stack)")) {
      if (table.scrollWidth <= table.parentElement.clientWidth) continue;
      const heads = [...table.querySelectorAll("th")].map((head) => head.textContent);
      for (const row of table.tBodies[0].rows) {
        [...row.cells].forEach((cell, i) => (cell.dataset.head = heads[i] ?? ""));
      }
      table.classList.add("stack");
    }
  };
  stack();
  narrow.addEventListener("change", stack);
  document.addEventListener("toggle", stack, true);

  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((one) => (one.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      const said = button.textContent;
      try {
        await navigator.clipboard.writeText(source.innerText);
      } catch {
        getSelection().selectAllChildren(source);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = said), 1500);
    });
  }
})();
