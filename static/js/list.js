// The list of results answers at once: filters, order and search act on the rows that the browser has (list_columns.js),
// the address says what is shown. Lists that are too long for that ask the server through htmx, after a pause.
"use strict";

const answers = new Map(); // columns by their address; null where there are too many rows
let shownRows = 0; // how many of the list are on the page; 0 while they are the server's

const list = () => document.getElementById("list");
const part = (selector) => list().querySelector(selector);
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
const filledText = (markup, slots) => markup.replace(/\{(\w+)\}/g, (_, name) => slots[name]);
const plural = (number, noun) => `${grouped(String(number))} ${noun}${number === 1 ? "" : "s"}`;

async function fetchColumns(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  const answer = response.ok ? await response.json() : { ids: null };
  return answer.ids ? readColumns(answer) : null;
}

// The columns of this list; null where the server filters it.
function columnsOfList() {
  const address = list().dataset.columns;
  if (!address) return null;
  if (!answers.has(address)) {
    answers.set(address, fetchColumns(address).catch(() => null).then((columns) => {
      answers.set(address, columns);
      return columns;
    }));
  }
  return answers.get(address);
}

const baseOf = () => [...new URL(list().dataset.columns, location.href).searchParams];
const addressOf = (pairs) => {
  const query = new URLSearchParams(pairs).toString();
  return query ? `${location.pathname}?${query}` : location.pathname;
};

// Shows the list of a query from the columns. False where only the server can.
function show(columns, query, rowsShown) {
  const choice = choiceOf(columns, query, baseOf());
  if (!choice) return false;
  let result = chosenRows(columns, choice);
  const kinds = choice.facets.latency_kind ?? [];
  const isByLatency = choice.ordering.includes("latency");
  if (isByLatency && result.rows.length && kinds.length !== 1) {
    const usual = usualKind(columns, result.counts.latency_kind, kinds);
    const pairs = choice.pairs.filter(([name]) => name !== "latency_kind");
    return show(columns, new URLSearchParams([...pairs, ["latency_kind", usual]]), rowsShown);
  }
  const rows = inOrder(columns, result.rows, choice);
  const facets = Object.fromEntries(Object.keys(columns.facets).map((name) =>
    [name, facetValues(columns, name, result.counts[name], chosenOf(choice, name))]));
  shownRows = Math.min(rows.length, Math.max(rowsShown, columns.page));
  history.replaceState(history.state, "", addressOf(choice.pairs));
  showFinding(columns, choice, rows, facets);
  showChips(choice, facets);
  showKinds(choice, facets, isByLatency);
  showFacets(columns, choice, facets);
  showTable(columns, choice, rows.slice(0, shownRows));
  showRest(choice, rows);
  return true;
}

const chosenOf = (choice, name) => choice.pairs.flatMap(([one, value]) => (one === name ? [value] : []));

function showFinding(columns, choice, rows, facets) {
  const workloads = new Set(rows.map((row) => columns.at.workload[row])).size;
  const isRanked = !["created_at", "measured_at", "node_count"].includes(choice.ordering.replace(/^-/, ""));
  const filters = choice.pairs.some(([name]) => name !== "ordering");
  const verb = rows.length === 1 ? "matches" : "match";
  const finding = part(".finding");
  finding.textContent = rows.length === 0 ? "No result matches these filters."
    : `${plural(rows.length, "result")} of ${plural(workloads, "workload")}${filters ? ` ${verb} these filters` : ""}`
      + `${isRanked && workloads > 1 ? "; figures are comparable within one workload only" : ""}.`;
  const chosen = chosenOf(choice, "workload");
  if (chosen.length === 1 && rows.length) {
    finding.append(" ", link(`/workloads/${chosen[0]}/`, "See the leaderboard of this workload"));
  }
}

function link(href, text) {
  return Object.assign(document.createElement("a"), { href, textContent: text });
}

function showChips(choice, facets) {
  const chips = part(".chips");
  const form = part(".facets");
  const markup = document.getElementById("chip").innerHTML;
  const clear = chips.lastElementChild;
  const before = [...chips.querySelectorAll("a.chip")];
  const pairs = choice.pairs.filter(([name]) => name !== "ordering");
  const items = pairs.map(([name, value]) => {
    const address = addressOf(choice.pairs.filter((pair) => pair[0] !== name || pair[1] !== value));
    const same = before.find((chip) => chip.dataset.name === name && chip.dataset.value === value);
    if (same) { // its words are the server's: of what no column here has, nobody else knows them
      same.href = address;
      return same.closest("li");
    }
    const facet = facets[name];
    const words = facet?.values.find((one) => one.value === value).label ?? value;
    const label = facet?.label ?? form.elements[name].closest("label").firstChild.textContent.trim();
    const made = document.createElement("template");
    const slots = { name, raw: value, label, value: words, address };
    made.innerHTML = filledText(markup, Object.fromEntries(Object.entries(slots).map(([slot, text]) => [slot, escaped(text)])));
    return made.content.firstElementChild;
  });
  chips.replaceChildren(...items, clear);
  chips.hidden = pairs.length === 0;
}

function showKinds(choice, facets, isByLatency) {
  const note = part("[data-kinds]");
  note.hidden = !isByLatency;
  note.querySelectorAll("a").forEach((one) => one.remove());
  for (const kind of isByLatency ? facets.latency_kind.values : []) {
    if (!kind.rows || kind.chosen) continue;
    const pairs = choice.pairs.filter(([name]) => name !== "latency_kind");
    note.append(link(addressOf([...pairs, ["latency_kind", kind.value]]), `Show ${kind.label} (${kind.rows})`), " ");
  }
}

function showFacets(columns, choice, facets) {
  const form = part(".facets");
  const open = new Set([...form.querySelectorAll("details[open] input")].map((box) => box.name));
  const focused = form.contains(document.activeElement) ? document.activeElement : null;
  const isByWorkload = baseOf().some(([name]) => name === "workload");
  const workloads = form.querySelector("input[name=workload]")?.closest("fieldset");
  const html = { first: "", others: "" };
  for (const name of Object.keys(facets)) {
    if (name === "workload" && isByWorkload) continue;
    html[columns.first_facets.includes(name) ? "first" : "others"] += facetHtml(columns, name, facets[name]);
  }
  for (const place of ["first", "others"]) form.querySelector(`[data-facets=${place}]`).innerHTML = html[place];
  if (isByWorkload && workloads) {
    // of other workloads there are no rows here to count
    for (const label of workloads.querySelectorAll("label")) {
      const known = facets.workload.values.find((one) => one.value === label.querySelector("input").value);
      label.querySelector(".count").textContent = known?.rows ?? "";
    }
    form.querySelector("[data-facets=others]").append(workloads);
  }
  form.querySelectorAll("details").forEach((more) => { more.open = open.has(more.querySelector("input").name); });
  for (const field of form.querySelectorAll("input:not([type=checkbox])")) {
    const value = chosenOf(choice, field.name)[0] ?? "";
    if (field !== focused && field.type !== "hidden" && field.value !== value) field.value = value;
  }
  form.querySelectorAll("input[type=hidden]").forEach((field) => field.remove());
  const fields = new Set([...Object.keys(columns.facets), ...[...form.elements].map((field) => field.name)]);
  for (const [name, value] of choice.pairs.filter(([one]) => !fields.has(one))) {
    form.prepend(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  if (focused?.type === "checkbox") {
    [...form.elements].find((box) => box.name === focused.name && box.value === focused.value)?.focus({ preventScroll: true });
  }
}

function facetHtml(columns, name, { label, values, hidden }) {
  if (values.length < 2 && !values.some((one) => one.chosen)) return "";
  const { box, field_set, more, hidden: note } = columns.markup;
  const boxes = (some) => some.map((one) => filledText(box, {
    name, value: escaped(one.value), label: escaped(one.label), count: one.rows, checked: one.chosen ? " checked" : "",
  })).join("");
  const shown = values.filter((one, place) => one.chosen || place < columns.shown);
  const rest = values.filter((one) => !shown.includes(one));
  const left = hidden ? filledText(note, { values: plural(hidden, "less frequent value") }) : "";
  const details = rest.length ? filledText(more, { count: rest.length, boxes: boxes(rest), hidden: left }) : "";
  return filledText(field_set, { label: escaped(label), shown: boxes(shown), more: details });
}

function showTable(columns, choice, rows) {
  const table = part(".results table");
  const ticked = new Set([...table.querySelectorAll("input[name=s]:checked")].map((box) => box.value));
  const shared = sharedByRows(columns, rows);
  table.tBodies[0].innerHTML = rowsHtml(columns, rows, shared);
  for (const box of ticked.size ? table.querySelectorAll("input[name=s]") : []) box.checked = ticked.has(box.value);
  for (const head of table.tHead.querySelectorAll("th:has(a)")) showHead(columns, choice, head, shared);
  const credits = [...new Set(rows.map((row) => columns.cells.attribution[row]))].filter(Boolean).sort();
  const foot = part(".results .credits");
  foot.textContent = credits.length ? `Includes results of ${credits.join("; ")}.` : "";
  foot.hidden = !credits.length;
  for (const block of [part(".results > form"), part(".results > .empty")]) block.hidden = block.matches("form") !== rows.length > 0;
}

function showHead(columns, choice, head, shared) {
  const sort = head.querySelector("a");
  const column = new URL(sort.href).searchParams.get("ordering").replace(/^-/, "");
  const isSorted = choice.ordering.replace(/^-/, "") === column;
  const isDown = choice.ordering.startsWith("-");
  const next = isSorted ? `${isDown ? "" : "-"}${column}` : columns.best_first[column];
  sort.href = addressOf([...choice.pairs.filter(([name]) => name !== "ordering"), ["ordering", next]]);
  sort.querySelector("span")?.remove();
  if (isSorted) sort.append(Object.assign(document.createElement("span"), { ariaHidden: "true", textContent: isDown ? "↓" : "↑" }));
  head.toggleAttribute("aria-sort", isSorted);
  if (isSorted) head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const unit = head.querySelector(".unit");
  const words = unit.textContent.split(",")[0];
  if (column === "latency_p99_ms") unit.textContent = shared.kind ? `${words}, ${shared.kind}` : words;
}

function showRest(choice, rows) {
  part("nav[aria-label=Pages]")?.remove();
  const more = part("[data-more]");
  const left = rows.length - shownRows;
  more.hidden = left <= 0;
  more.textContent = `Show ${Math.min(left, 50)} more of ${grouped(String(left))}`;
  for (const address of part(".results").querySelectorAll(".actions .note a")) {
    const format = new URL(address.href).searchParams.get("format");
    if (!format) continue;
    address.href = `${new URL(address.href).pathname}?${new URLSearchParams([...choice.pairs, ["format", format]])}`;
  }
  const filters = choice.pairs.filter(([name]) => name !== "ordering");
  const feed = part("[data-feed]");
  feed.href = filters.length ? `${feed.dataset.feed}?${new URLSearchParams(filters)}` : feed.dataset.all;
  const path = part(".share input[name=path]");
  if (path) path.value = addressOf(choice.pairs);
}

// The query that the form says, as the page writes it: in the order of the address, what is new at its end.
function queryOfForm() {
  const form = part(".facets");
  const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
  const has = (pairs, pair) => pairs.some((one) => one[0] === pair[0] && one[1] === pair[1]);
  const kept = [...new URLSearchParams(location.search)].filter((pair) => has(chosen, pair));
  return new URLSearchParams([...kept, ...chosen.filter((pair) => !has(kept, pair))]);
}

async function answerForm(event) {
  if (!event.target.closest?.("#list .facets")) return;
  const form = part(".facets");
  if (!form.checkValidity()) return form.reportValidity();
  const columns = await columnsOfList();
  if (columns && show(columns, queryOfForm(), 0)) return;
  htmx.trigger(form, "filter");
}

function answerClick(event) {
  const target = event.target.closest("#list a, [data-more]");
  if (!target || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const columns = columnsOfList();
  if (!columns || columns instanceof Promise) return; // they come; a link leads there all the same
  const isMore = target.matches("[data-more]");
  if (!isMore && target.pathname !== location.pathname) return;
  const query = new URLSearchParams(isMore ? location.search : target.search);
  if (query.has("cursor") || query.has("format")) return;
  if (show(columns, query, isMore ? shownRows + columns.page : 0)) event.preventDefault();
}

if (list()) {
  for (const intent of ["pointerover", "focusin", "touchstart"]) {
    document.addEventListener(intent, (event) => event.target.closest?.(".with-facets") && columnsOfList(), { passive: true });
  }
  document.addEventListener("input", answerForm);
  document.addEventListener("click", answerClick);
  document.addEventListener("submit", (event) => event.target.matches(".facets") && (event.preventDefault(), answerForm(event)));
}
