// The only code that calls Plotly: draws each [data-figure] in the page's colours, exports it, follows light and dark.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const CONFIG = { displayModeBar: false, responsive: true, displaylogo: false };

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function theme() {
  const text = colour("--pico-color");
  const muted = colour("--pico-muted-color");
  const line = colour("--pico-muted-border-color");
  const axis = {
    automargin: true, gridcolor: line, linecolor: muted, zerolinecolor: muted, tickcolor: muted,
    ticks: "outside", title: { standoff: 10, font: { size: 13 } }, exponentformat: "none", separatethousands: true,
  };
  return {
    data: {
      scatter: [{ line: { color: text }, marker: { line: { color: text, width: 1 } } }],
      bar: [{ error_x: { color: text, thickness: 1.5 }, marker: { line: { color: text, width: 0.5 } } }],
    },
    layout: {
      paper_bgcolor: colour("--pico-background-color"),
      plot_bgcolor: colour("--pico-background-color"),
      font: { color: text, size: 13, family: "system-ui, sans-serif" },
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: muted, font: { color: text }, align: "left" },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom" },
      margin: { l: 10, r: 16, t: 24, b: 10 },
      xaxis: axis,
      yaxis: axis,
    },
  };
}

function draw(box) {
  const figure = JSON.parse(document.getElementById(box.dataset.figure).textContent);
  box.style.minHeight = `${figure.layout.height}px`;
  // a touch must scroll the page, not zoom the chart
  const layout = { ...figure.layout, template: theme(), dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom" };
  return Plotly.react(box, figure.data, layout, CONFIG);
}

function open(event) {
  const place = event.points[0].customdata;
  if (Array.isArray(place) && typeof place[1] === "string" && /^\/[^/]/.test(place[1])) location.assign(place[1]);
}

// As a data: address and drawn here, so that the content security policy needs no blob: images.
async function picture(box, type) {
  const size = { width: box.clientWidth, height: box.clientHeight };
  const svg = await Plotly.toImage(box, { ...size, format: "svg" });
  const text = decodeURIComponent(svg.slice(svg.indexOf(",") + 1));
  if (type === "svg") return new Blob([text], { type: "image/svg+xml" });
  const image = new Image();
  image.src = svg;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = size.width * 2;
  canvas.height = size.height * 2;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

async function save(button) {
  const box = document.getElementById(button.dataset.of);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await picture(box, button.dataset.export));
  link.download = `${box.id}.${button.dataset.export}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function setUp(part) {
  for (const box of part.querySelectorAll("[data-figure]:not([data-drawn])")) {
    box.dataset.drawn = "false";
    draw(box).then(() => {
      box.on("plotly_click", open);
      box.dataset.drawn = "true";
    });
  }
  for (const button of part.querySelectorAll("[data-export][hidden]")) {
    button.hidden = false; // without script there is nothing to export
    button.addEventListener("click", () => save(button));
  }
}

setUp(document);
document.addEventListener("htmx:afterSettle", (event) => setUp(event.detail.elt.parentNode ?? document)); // a live page
dark.addEventListener("change", () => document.querySelectorAll("[data-figure]").forEach(draw));
