// The only code that calls Plotly. A page has its charts as SVG; the library is fetched, and a chart drawn again to
// be explored, when a reader points at it, taps it or presses its button. It follows light and dark.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const CONFIG = { displayModeBar: false, responsive: true, displaylogo: false };
const SERIES = JSON.parse(document.getElementById("chart-series").textContent); // CSS variable by colour of a figure
const pictures = new WeakMap(); // the SVG that each explored chart has replaced
const figures = new WeakMap(); // what each chart draws, where that came from an address of its own
let library = null;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A variable may be a light-dark(): what it is now is what an element has.
function resolved(value, box) {
  const probe = document.createElement("i");
  probe.style.color = value;
  box.append(probe);
  const now = getComputedStyle(probe).color;
  probe.remove();
  return now;
}

function loaded(source) {
  return new Promise((done, failed) => {
    source.onload = done;
    source.onerror = failed;
    document.head.append(source);
  });
}

// Plotly looks for a style element of these ids before it inserts its own, which the policy forbids.
function plotly() {
  const { library: address, style } = document.getElementById("chart-series").dataset;
  const sheet = Object.assign(document.createElement("link"), {
    rel: "stylesheet", id: "plotly.js-style-global", className: "no-inline-styles", href: style,
  });
  const script = Object.assign(document.createElement("script"), {
    id: "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53", src: address,
  });
  library ??= Promise.all([loaded(sheet), loaded(script)]).catch((error) => {
    library = null; // the next touch tries again
    throw error;
  });
  return library;
}

function theme(scale) {
  const text = colour("--pico-color");
  const muted = colour("--pico-muted-color");
  const line = colour("--pico-muted-border-color");
  const axis = {
    gridcolor: line, linecolor: muted, zerolinecolor: line, tickfont: { color: muted },
    ticks: "outside", ticklen: 5, tickcolor: "rgba(0,0,0,0)", title: { standoff: 8, font: { size: 12 * scale } }, exponentformat: "SI", separatethousands: true,
  };
  return {
    data: {
      scatter: [{ line: { color: text }, marker: { line: { width: 0 } } }],
      bar: [{ error_x: { color: text, thickness: 1.5 } }],
    },
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: text, size: 12 * scale, family: "system-ui, sans-serif" },
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: muted, font: { color: text }, align: "left" },
      legend: { orientation: "h", x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top" },
      xaxis: { ...axis, showline: true, tickangle: 0 },
      yaxis: axis,
    },
  };
}

function picture(box) {
  return [...box.querySelectorAll("svg.drawing")].find((svg) => svg.getBoundingClientRect().width > 0);
}

// On the page; of many marks at an address, and fetched once.
function figureText(box) {
  if (!box.dataset.from) return document.getElementById(box.dataset.figure).textContent;
  if (!figures.has(box)) {
    const answer = fetch(box.dataset.from, { cache: "no-cache" }).then((response) => response.ok ? response.json() : Promise.reject(response.status));
    figures.set(box, answer.then(({ figure }) => JSON.stringify(figure)));
    answer.catch(() => figures.delete(box)); // the next touch tries again
  }
  return figures.get(box);
}

async function figureOf(box) {
  let text = await figureText(box);
  for (const [hex, name] of Object.entries(SERIES)) {
    if (text.includes(hex)) text = text.replaceAll(hex, resolved(`var(--${name})`, box));
  }
  return JSON.parse(text);
}

// The words in the places that the SVG has found for them; those without room are left out.
function annotations(layout, svg, scale) {
  const placed = new Map([...svg.querySelectorAll("[data-note]")].map((text) => [Number(text.dataset.note), text.dataset]));
  return (layout.annotations ?? []).map((note, index) => {
    if (note.name !== "label" && note.name !== "iso") return note;
    const at = placed.get(index);
    if (!at) return { ...note, visible: false };
    const shift = { xshift: Number(at.dx) * scale, yshift: -Number(at.dy) * scale, xanchor: "left", yanchor: "top" };
    return { ...note, ...shift, borderpad: 0, font: note.name === "iso" ? { color: colour("--pico-muted-color"), size: 11 * scale } : {} };
  });
}

// Titles of y axes stand above their panels, as in the SVG.
function titlesAbove(layout, left) {
  const titles = [];
  for (const [key, axis] of Object.entries(layout).filter(([name]) => name.startsWith("yaxis"))) {
    const text = axis.title?.text;
    if (!text) continue;
    layout[key] = { ...axis, title: { text: "" } };
    titles.push({
      text, showarrow: false, xref: "paper", x: 0, xanchor: "left", xshift: 2 - left,
      yref: `${key.replace("axis", "")} domain`, y: 1, yanchor: "bottom", yshift: 2,
    });
  }
  return titles;
}

// Of the ticks that a figure names, those that have room.
function ticks(layout, svg) {
  for (const group of svg.querySelectorAll("[data-ticks]")) {
    const key = group.dataset.ticks.replace("x", "xaxis");
    const axis = layout[key];
    if (!axis?.ticktext) continue;
    const shown = new Set([...group.children].map((text) => text.textContent));
    const kept = axis.ticktext.map((words, place) => [words, axis.tickvals[place]]).filter(([words]) => shown.has(words));
    layout[key] = { ...axis, ticktext: kept.map(([words]) => words), tickvals: kept.map(([, value]) => value) };
  }
}

// On a phone the library's legend is higher than that of the SVG, which stays instead.
function legend(layout, svg, inner) {
  inner.parentNode.querySelector(".chart-legend")?.remove();
  const group = svg.querySelector("[data-legend]");
  if (!group || !svg.classList.contains("narrow")) return;
  const copy = svg.cloneNode(false);
  for (const name of ["role", "aria-labelledby"]) copy.removeAttribute(name);
  copy.setAttribute("class", "chart-legend");
  copy.setAttribute("aria-hidden", "true");
  copy.append(group.cloneNode(true));
  inner.before(copy);
  layout.showlegend = false;
}

async function draw(box) {
  const figure = await figureOf(box);
  const svg = pictures.get(box) ?? picture(box);
  pictures.set(box, svg);
  const inner = box.querySelector(".interactive") ?? box.appendChild(document.createElement("div"));
  const size = inner.className ? { width: inner.clientWidth, height: inner.clientHeight } : svg.getBoundingClientRect();
  const scale = size.width / svg.viewBox.baseVal.width;
  const [l, r, t, b] = svg.dataset.margins.split(" ").map((side) => Number(side) * scale);
  inner.className = "interactive";
  inner.style.height = `${size.height}px`;
  inner.setAttribute("role", "img");
  inner.setAttribute("aria-label", box.dataset.label);
  const layout = { ...figure.layout };
  // a touch must scroll the page, not zoom the chart
  layout.dragmode = matchMedia("(pointer: coarse)").matches ? false : layout.dragmode ?? "zoom";
  layout.annotations = annotations(layout, svg, scale).concat(titlesAbove(layout, l));
  ticks(layout, svg);
  legend(layout, svg, inner);
  Object.assign(layout, { height: size.height, margin: { l, r, t, b, pad: 0 }, template: theme(scale) });
  return Plotly.react(inner, figure.data, layout, CONFIG);
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

// What a figure names on its axis is for the whole of it: of a part, the library chooses.
function zoomed(event) {
  for (const axis of ["xaxis", "yaxis"]) {
    if (this.layout[axis]?.tickvals && Object.keys(event).some((key) => key.startsWith(`${axis}.range`))) {
      Plotly.relayout(this, { [`${axis}.tickmode`]: "auto" });
    }
  }
}

const idle = () => new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done, { timeout: 500 }));

async function explore(box) {
  if (box.dataset.drawn !== undefined) return;
  box.dataset.drawn = "false";
  box.setAttribute("aria-busy", "true");
  try {
    await plotly();
    await idle();
    await draw(box);
    const inner = box.querySelector(".interactive");
    inner.on("plotly_click", follow);
    inner.on("plotly_relayout", zoomed.bind(inner));
    inner.on("plotly_selected", selected.bind(box));
    box.dataset.drawn = "true";
    document.querySelector(`[data-explore="${box.id}"]`)?.setAttribute("hidden", "");
  } catch {
    delete box.dataset.drawn; // the SVG stays
    box.querySelector(".interactive")?.remove();
  } finally {
    box.removeAttribute("aria-busy");
  }
}

function setUp(part) {
  for (const box of part.querySelectorAll("[data-figure]:not([data-ready])")) {
    box.dataset.ready = "";
    box.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && explore(box));
    box.addEventListener("click", () => explore(box));
  }
  for (const button of part.querySelectorAll("[data-explore][hidden]:not([data-ready])")) {
    button.dataset.ready = "";
    button.hidden = false; // without script there is nothing to explore
    button.addEventListener("click", () => explore(document.getElementById(button.dataset.explore)));
  }
}

setUp(document);
document.addEventListener("htmx:afterSettle", (event) => setUp(event.detail.elt.parentNode ?? document)); // a live page
dark.addEventListener("change", () => document.querySelectorAll('[data-drawn="true"]').forEach(draw));
