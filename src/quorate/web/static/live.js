"use strict";
// The parts of the page as they change: the server makes them, and what was open or chosen stays so.
const line = document.getElementById("line");
const source = new EventSource("/study/events");
for (const name of ["far", "run", "estimate"]) {
  source.addEventListener(name, (event) => {
    const part = document.getElementById(name);
    const open = [...part.querySelectorAll("details[open]")].map((one) => one.id);
    const held = part.contains(document.activeElement) ? document.activeElement.id : "";
    part.innerHTML = JSON.parse(event.data);
    open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    if (held) document.getElementById(held)?.focus();
  });
}
source.addEventListener("open", () => { line.textContent = "Live"; });
source.addEventListener("error", () => { line.textContent = "The connection is lost; trying again"; });
