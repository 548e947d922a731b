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
  const drag = matchMedia("(pointer: coarse)").matches ? false : figure.layout.dragmode ?? "zoom";
  const layout = { ...figure.layout, template: theme(), dragmode: drag };
  return Plotly.react(box, figure.data, layout, CONFIG);
}

function follow(event) {
  const place = event.points[0].customdata;
  if (!Array.isArray(place) || typeof place[1] !== "string" || !/^\/[^/]/.test(place[1])) return;
  if (window.self === window.top) location.assign(place[1]);
  else window.open(place[1], "_blank", "noopener"); // no other page may be framed
}

// Tells the page which stretch of the x axis was dragged over, where a figure has dragmode "select".
function selected(event) {
  const x = event?.range?.x;
  if (x) this.dispatchEvent(new CustomEvent("chart:selected", { bubbles: true, detail: { x: [Math.min(...x), Math.max(...x)] } }));
}

// What goes round the drawing of a picture that leaves the site, in CSS pixels.
const EDGE = 12;
const HEAD = { size: 17, line: 23, weight: 600 };
const FINDING = { size: 13, line: 18, weight: 400 };
const FOOT = { size: 12, line: 17, weight: 400 };

// Breaks a text into lines that are no wider than that, inside a word where it must be (addresses).
function lines(text, width, { size, weight }) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px system-ui, sans-serif`;
  const fits = (line) => pen.measureText(line).width <= width;
  const done = [];
  let line = "";
  for (const word of text.trim().split(/\s+/)) {
    if (line && !fits(`${line} ${word}`)) {
      done.push(line);
      line = "";
    }
    line = line ? `${line} ${word}` : word;
    while (!fits(line) && line.length > 1) {
      let end = line.length - 1;
      while (end > 1 && !fits(line.slice(0, end))) end -= 1;
      done.push(line.slice(0, end));
      line = line.slice(end);
    }
  }
  return line ? [...done, line] : done;
}

function escaped(text) {
  return text.replace(/[\x00-\x08\x0b-\x1f]/g, "").replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function textBlock(texts, top, style) {
  return texts.map((text, number) =>
    `<text x="${EDGE}" y="${top + style.size + number * style.line}" font-family="system-ui, sans-serif" ` +
    `font-size="${style.size}" font-weight="${style.weight}" fill="${style.fill}">${escaped(text)}</text>`).join("");
}

// The drawing between the page's title and what its reader must know: a picture goes round without its page.
function framed(box, drawing, size) {
  const caveats = box.layout.meta?.caveats ?? [];
  const address = new URL(box.dataset.link, location.href);
  address.searchParams.delete("key"); // who gets the picture of an unlisted result cannot open the result by it
  const wide = size.width - 2 * EDGE;
  const title = document.querySelector("h1").textContent.trim();
  const finding = box.dataset.label;
  const head = lines(title, wide, HEAD);
  const said = finding === title ? [] : lines(finding, wide, FINDING);
  const foot = [...caveats, `${box.dataset.made} · ${address.href}`].flatMap((text) => lines(text, wide, FOOT));
  const below = EDGE + head.length * HEAD.line;
  const top = below + said.length * FINDING.line;
  const height = top + size.height + foot.length * FOOT.line + EDGE;
  const text =
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
    `width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}">` +
    `<rect width="100%" height="100%" fill="${escaped(colour("--pico-background-color"))}"/>` +
    textBlock(head, EDGE, { ...HEAD, fill: escaped(colour("--pico-h1-color")) }) +
    textBlock(said, below, { ...FINDING, fill: escaped(colour("--pico-color")) }) +
    drawing.replace("<svg ", `<svg y="${top}" `) +
    textBlock(foot, top + size.height, { ...FOOT, fill: escaped(colour("--pico-muted-color")) }) +
    `</svg>`;
  return { text, width: size.width, height };
}

// As a data: address and drawn here, so that the content security policy needs no blob: images.
async function picture(box, type) {
  const size = { width: box.clientWidth, height: box.clientHeight };
  const drawn = await Plotly.toImage(box, { ...size, format: "svg" });
  const whole = framed(box, decodeURIComponent(drawn.slice(drawn.indexOf(",") + 1)), size);
  if (type === "svg") return new Blob([whole.text], { type: "image/svg+xml" });
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(whole.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = whole.width * 2;
  canvas.height = whole.height * 2;
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
      box.on("plotly_click", follow);
      box.on("plotly_selected", selected.bind(box));
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
