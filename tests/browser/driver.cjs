// A browser that does what it is told: one command in a line of JSON, one result in another.
// node driver.cjs FOLDER CHROMIUM, where FOLDER has node_modules with playwright-core and axe-core.
"use strict";

const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");

const [folder, executablePath] = process.argv.slice(2);
const installed = createRequire(`${folder}/`);
const axe = readFileSync(installed.resolve("axe-core/axe.min.js"), "utf8");
const people = new Map();
const tabs = new Map();
let browser;

// What a page did, and what it was told: addresses, headers and bodies.
function watch(page, noted, heard) {
  page.on("response", (response) => heard.push(Promise.all([response.allHeaders(), response.text().catch(() => "")])
    .then(([headers, body]) => `${response.status()} ${response.url()}\n${JSON.stringify(headers)}\n${body}\n`)
    .catch(() => "")));
  page.on("dialog", (dialog) => { noted.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("pageerror", (error) => noted.push(`error: ${error.message}`));
  page.on("console", (said) => { if (said.type() === "error") noted.push(`console: ${said.text()}`); });
  page.on("request", (request) => noted.push(`request: ${request.method()} ${request.url()}`));
}

const commands = {
  async open({ who, tab, url, width = 1280, height = 800, dark = false }) {
    const settings = { viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: width < 600 };
    if (!people.has(who)) people.set(who, await browser.newContext(settings));
    const page = await people.get(who).newPage();
    const noted = [];
    const heard = [];
    watch(page, noted, heard);
    page.setDefaultTimeout(10000);
    tabs.set(tab, { page, noted, heard });
    await page.goto(url);
  },
  async close({ who }) {
    await people.get(who).close();
    people.delete(who);
  },
  goto: ({ page }, { url }) => page.goto(url).then((response) => response?.status() ?? 0),
  reload: ({ page }) => page.reload().then(() => null),
  press: ({ page }, { keys }) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve()),
  type: ({ page }, { text }) => page.keyboard.type(text),
  click: ({ page }, { selector, times = 1 }) => page.locator(selector).first().click({ clickCount: times }),
  // Not page.waitForFunction, which the pages' own security policy forbids.
  async wait({ page }, { script, seconds = 10 }) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
      if (await page.evaluate(script).catch(() => false)) return;  // a page that is being left has nothing to say
      await new Promise((done) => { setTimeout(done, 20); });
    }
    throw new Error(`not within ${seconds} s: ${script}; the page has ${await page.evaluate("document.body.innerText")}`);
  },
  read: ({ page }, { script }) => page.evaluate(script),
  size: ({ page }, { width, height = 800 }) => page.setViewportSize({ width, height }),
  look: ({ page }, { dark }) => page.emulateMedia({ colorScheme: dark ? "dark" : "light" }),
  async shot({ page }, { path }) {
    const height = await page.evaluate("document.documentElement.scrollHeight");
    await page.screenshot({ path, fullPage: height < 6000 });
  },
  noted: ({ noted }) => noted.splice(0),
  heard: ({ heard }) => Promise.all(heard.splice(0)).then((said) => said.join("")),
  // The first answers of an address are lost on their way back: the server has had what was sent.
  async lose({ page }, { url, times }) {
    let left = times;
    await page.route(url, async (route) => {
      if (left <= 0) return route.continue();
      left -= 1;
      await route.fetch({ maxRedirects: 0 });
      return route.abort("connectionreset");
    });
  },
  // What an address would give never comes, so that the page before it stays.
  async hold({ page }, { url }) {
    await page.route(url, (route) => route.abort("aborted"));
  },
  async axe({ page }) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
    return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map((node) => node.html.slice(0, 200)) }));
  },
};

async function main() {
  const { chromium } = installed("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  browser = await chromium.launch({ executablePath, args });
  for await (const line of createInterface({ input: process.stdin })) {
    const { command, ...given } = JSON.parse(line);
    let said;
    try {
      const page = given.tab !== undefined && command !== "open";
      if (command === "offline") await people.get(given.who).setOffline(given.off);
      else said = await (page ? commands[command](tabs.get(given.tab), given) : commands[command](given));
      said = { value: said ?? null };
    } catch (error) {
      said = { error: `${command}: ${error.message}` };
    }
    process.stdout.write(`${JSON.stringify(said)}\n`);
  }
  await browser.close();
}

main();
