// Rows of a list as the server writes them (templatetags/results.py), figures rounded as formatting/numbers.py does:
// on their decimal digits, half to even.
"use strict";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const SCALES = [[9, "G"], [6, "M"], [3, "k"]];

// The decimal text with so many decimals.
function withDecimals(text, decimals) {
  const [whole, rest = ""] = text.split(".");
  if (rest.length <= decimals) return decimals > 0 ? `${whole}.${rest.padEnd(decimals, "0")}` : whole;
  const all = whole + rest;
  const kept = whole.length + decimals; // below zero: far less than half of the last digit
  const [head, tail] = kept < 0 ? ["0", "0"] : [all.slice(0, kept) || "0", all.slice(kept)];
  const half = `5${"0".repeat(tail.length - 1)}`;
  const up = tail > half || (tail === half && "13579".includes(head.at(-1)));
  return shifted(`${BigInt(head) + (up ? 1n : 0n)}${"0".repeat(Math.max(0, -decimals))}`, Math.max(0, decimals));
}

// The place of the first digit that is no zero: 2 for 345, -1 for 0.5.
function adjusted(text) {
  const [whole, rest = ""] = text.split(".");
  return whole === "0" ? -1 - rest.search(/[1-9]/) : whole.length - 1;
}

const isZero = (text) => !/[1-9]/.test(text);

function significant(text, digits = 3) {
  const decimals = digits - 1 - adjusted(text);
  const has = (text.split(".")[1] ?? "").length;
  return isZero(text) || has + adjusted(text) + 1 <= digits ? text : withDecimals(text, decimals);
}

// Divided by a power of ten.
function shifted(text, places) {
  const [whole, rest = ""] = text.split(".");
  const all = (whole + rest).padStart(rest.length + places + 1, "0");
  const point = all.length - rest.length - places;
  const front = all.slice(0, point).replace(/^0+(?=\d)/, "");
  return point < all.length ? `${front}.${all.slice(point)}` : front;
}

function grouped(text) {
  const [whole, rest = ""] = text.split(".");
  const decimals = rest.replace(/0+$/, "");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals && `.${decimals}`);
}

function compact(text) {
  const round = significant(text);
  const [places, letter] = SCALES.find(([places]) => Number(round) >= 10 ** places) ?? [0, ""];
  return letter ? `${grouped(shifted(round, places))} ${letter}` : grouped(round);
}

function milliseconds(text) {
  const digits = Number(text) >= 10 ? 3 : 2;
  const round = significant(text, digits);
  if (isZero(round) || Number(round) >= 100) return grouped(round);
  return withDecimals(round, Math.max(digits - 1 - adjusted(round), 0));
}

function dollars(text) {
  if (isZero(text) || Number(text) >= 1) {
    const [whole, cents] = withDecimals(text, 2).split(".");
    return `$${grouped(whole)}.${cents}`;
  }
  const round = significant(text, 2);
  return `$${withDecimals(round, Math.max(2, 1 - adjusted(round)))}`;
}

function shownFigure(columns, text, short, sign = "") {
  if (text === "") return columns.unknown;
  const plain = plainText(text);
  const [shown, whole] = [short(plain), `${sign}${grouped(plain)}`];
  const words = shown.replace(" ", "\u00a0");
  return shown === whole ? words : `<span title="${whole}">${words}</span>`;
}

function shareClass(value, best) {
  if (!best || value === null) return "";
  const exact = (Math.min(value / best, 1) * 100) / 5;
  let steps = Math.round(exact);
  if (steps - exact === 0.5 && steps % 2) steps -= 1;
  return ` bar share-${Math.max(5, steps * 5)}`;
}

const isoDay = (days) => new Date(days * 86_400_000).toISOString().slice(0, 10);

function month(columns, days) {
  if (days === null) return columns.unknown;
  const day = isoDay(days);
  return `<time class="nowrap" datetime="${day}" title="${day}">${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(0, 4))}</time>`;
}

// What the head of a table says because it holds for all rows.
function sharedByRows(columns, rows) {
  const { at, cells, numbers } = columns;
  const only = (values) => { const all = new Set(values); return all.size === 1 ? [...all][0] : ""; };
  const kind = only(rows.filter((row) => numbers.latency_p99_ms[row] !== null).map((row) => at.latency_kind[row]));
  const values = rows.map((row) => numbers.ops_per_usd[row]).filter((value) => value !== null);
  const name = kind === "" ? "" : columns.facets.latency_kind.values[kind][0];
  return {
    kind: columns.latency_kinds.find(([one]) => one === name)?.[2] ?? "",
    best: only(rows.map((row) => at.workload[row])) !== "" && values.length > 1 ? Math.max(...values) : null,
  };
}

function parsed(markup) {
  return markup.split(/\{(\w+)\}/);
}

// Slots are never looked for in what fills them.
function filled(parts, slots) {
  return parts.map((part, place) => (place % 2 ? slots[part] : part)).join("");
}

function rowsHtml(columns, rows, shared) {
  columns.rowParts ??= parsed(columns.markup.row);
  return rows.map((row) => filled(columns.rowParts, slotsOf(columns, row, shared))).join("\n");
}

function slotsOf(columns, row, shared) {
  const { cells, numbers, texts } = columns;
  const hasP99 = numbers.latency_p99_ms[row] !== null;
  const hasCost = numbers.hourly_usd[row] !== null;
  const [before, after] = cells.cost[row];
  const spread = [cells.averaged[row], texts.spread[row] && `CV ${texts.spread[row]}\u00a0%`].filter(Boolean).join(", ");
  const slots = { id: columns.ids[row] };
  for (const name of ["badges", "title", "cluster", "place", "software", "workload", "load", "held", "n", "marks", "slo", "latency", "bound"]) slots[name] = cells[name][row];
  if (columns.days[row] !== null) slots.marks = slots.marks.replaceAll("{day}", isoDay(columns.days[row]));
  return Object.assign(slots, {
    share: shareClass(numbers.ops_per_usd[row], shared.best),
    value: shownFigure(columns, texts.ops_per_usd[row], (text) => grouped(significant(shifted(text, 6)))),
    rate: shownFigure(columns, texts.throughput_ops_s[row], compact),
    spread: spread && ` title="${spread}"`,
    p99: shownFigure(columns, texts.latency_p99_ms[row] || texts.mean_instead_ms[row], milliseconds),
    kind: hasP99 && !shared.kind ? cells.kind[row] : "",
    mark: hasP99 ? cells.mark[row] : "",
    cost: before + (hasCost ? shownFigure(columns, texts.hourly_usd[row], dollars, "$") : "") + after,
    measured: month(columns, columns.days[row]),
  });
}
