// Keys, and answers that survive a lost connection. Without this file the page is a form that works.
"use strict";

const PAUSES = [500, 1000, 2000, 5000, 10000];
const SETTLED = 300; // milliseconds in which nobody has read a question: what comes earlier was meant for the one before
let sending = false;
let since = -Infinity;

const rest = (ms) => new Promise((done) => setTimeout(done, ms));
const form = () => document.querySelector('form[action="/answer"]');

function say(text) {
  const state = document.getElementById("state");
  if (state) state.textContent = text;
}

// The same words until they have arrived: the server takes each answer once, however often it is sent.
async function send(body) {
  for (let turn = 0; ; turn += 1) {
    try {
      const response = await fetch("/answer", { method: "POST", body, credentials: "same-origin" });
      const text = await response.text();
      if (response.status !== 429 && response.status < 500) return text;
    } catch (error) {
      // no connection: again below
    }
    say("Not saved yet: no connection. It is sent again; leave this page open.");
    await rest(PAUSES[Math.min(turn, PAUSES.length - 1)]);
  }
}

async function submit(button) {
  if (sending || performance.now() - since < SETTLED) return;
  const own = form();
  if (!button.formNoValidate && !own.reportValidity()) return;
  sending = true;
  const fields = new FormData(own);
  if (button.name) fields.set(button.name, button.value);
  for (const one of own.querySelectorAll("button")) one.disabled = true;
  show(await send(new URLSearchParams(fields)), button.name === "undo" ? "Taken back." : "Saved.");
  sending = false;
}

function show(html, done) {
  const next = new DOMParser().parseFromString(html, "text/html");
  document.title = next.title;
  document.body.replaceWith(next.body);
  since = performance.now();
  window.scrollTo(0, 0);
  const main = document.getElementById("main");
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
  say(done);
}

// From left to right among the answers; of two responses, the left one or the right one at once.
function move(step) {
  const buttons = [...document.querySelectorAll(".choices button")];
  if (document.querySelector("main.paired") && buttons.length) {
    submit(step < 0 ? buttons[0] : buttons[buttons.length - 1]);
    return;
  }
  const at = buttons.indexOf(document.activeElement);
  const next = at < 0 ? (step < 0 ? buttons.length - 1 : 0) : Math.min(Math.max(at + step, 0), buttons.length - 1);
  buttons[next]?.focus();
}

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  submit(event.submitter ?? event.target.querySelector("button"));
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea");
  if (typing && event.key === "Escape") event.target.blur();
  if (!form() || typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    move(event.key === "ArrowLeft" ? -1 : 1);
    return;
  }
  const wanted = event.key.toLowerCase();
  const button = [...form().querySelectorAll("button[data-key]")].find((one) => one.dataset.key === wanted);
  if (button && !button.disabled) {
    event.preventDefault();
    submit(button);
  }
});
