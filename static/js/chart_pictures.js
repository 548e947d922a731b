// A chart as a picture to take away: its drawing between the page's title and what its reader must know.
"use strict";

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

// Beside the chart on its page, which says them with the numbers that it drew: caveats, then whom to name.
function caveatsOf(box) {
  const found = [];
  for (let part = box.nextElementSibling; part && !part.matches(".chart-actions"); part = part.nextElementSibling) {
    if (part.matches(".caveats, .credits")) found.push(...(part.matches(".caveats") ? part.querySelectorAll("li") : [part]));
  }
  return found.map((part) => part.textContent.trim());
}

// The drawing between the page's title and what its reader must know: a picture goes round without its page.
function framed(box, drawing, size) {
  const address = new URL(box.dataset.link, location.href);
  address.searchParams.delete("key"); // who gets the picture of an unlisted result cannot open the result by it
  const wide = size.width - 2 * EDGE;
  const title = document.querySelector("h1").textContent.trim();
  const finding = box.dataset.label;
  const head = lines(title, wide, HEAD);
  const said = finding === title ? [] : lines(finding, wide, FINDING);
  const foot = [...caveatsOf(box), `${box.dataset.made} · ${address.href}`].flatMap((text) => lines(text, wide, FOOT));
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


// The SVG of the page with the colours that it has now: a file knows no variables.
function standalone(box) {
  const svg = [...box.querySelectorAll("svg.drawing")].find((one) => one.getBoundingClientRect().width > 0);
  const copy = svg.cloneNode(true);
  const text = new XMLSerializer().serializeToString(copy);
  const names = new Set(text.match(/var\(--[\w-]+\)/g));
  const plain = [...names].reduce((all, name) => all.replaceAll(name, resolved(name, box)), text);
  const { width, height } = svg.viewBox.baseVal;
  const whole = plain.replaceAll("currentColor", colour("--pico-color"));
  return { drawing: whole.replace("<svg ", `<svg width="${width}" height="${height}" font-family="system-ui, sans-serif" `), size: { width, height } };
}

async function drawingOf(box) {
  if (box.dataset.drawn !== "true") return standalone(box);
  const inner = box.querySelector(".interactive"); // as it was zoomed
  const size = { width: inner.clientWidth, height: inner.clientHeight };
  const drawn = await Plotly.toImage(inner, { ...size, format: "svg" });
  return { drawing: decodeURIComponent(drawn.slice(drawn.indexOf(",") + 1)), size };
}

// As a data: address and drawn here, so that the content security policy needs no blob: images.
async function pictureOf(box, type) {
  const { drawing, size } = await drawingOf(box);
  const whole = framed(box, drawing, size);
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
  link.href = URL.createObjectURL(await pictureOf(box, button.dataset.export));
  link.download = `${box.dataset.name || "benchsite-chart"}.${button.dataset.export}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function offer(part) {
  for (const button of part.querySelectorAll("[data-export][hidden]")) {
    button.hidden = false; // without script there is nothing to export
    button.addEventListener("click", () => save(button));
  }
}

offer(document);
document.addEventListener("htmx:afterSettle", (event) => offer(event.detail.elt.parentNode ?? document));
