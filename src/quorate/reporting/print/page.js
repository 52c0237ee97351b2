"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const places = [...document.querySelectorAll("[data-chart]")];
  const drawn = new WeakMap();

  // A closed <details> has no width, so a chart inside one takes that of the section around it.
  const widthOf = (place) => Math.floor(place.clientWidth || place.closest("section").clientWidth);

  const draw = (place) => {
    const width = widthOf(place);
    if (drawn.get(place) === width) return;
    drawn.set(place, width);
    const spec = structuredClone(specs[place.dataset.chart]);
    spec.width = width;
    spec.autosize = { type: "fit-x", contains: "padding" };
    spec.config.axisY.labelLimit = Math.min(220, Math.floor(width * (width < 480 ? 0.42 : 0.34)));
    spec.config.axisX.titleLimit = width;
    if (width < 480) {
      spec.config.axisX.tickCount = 4;
      spec.config.axisY.labelFontSize = 11;
    }
    vegaEmbed(place, spec, { renderer: "svg", ast: true, actions: false, tooltip: { theme: "custom" } });
  };

  let waiting;
  const drawAll = () => places.forEach(draw);
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });

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

  drawAll();
})();
