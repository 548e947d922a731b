// The rows of a list as columns, filtered, counted and ordered as the server does it. No element is touched here.
"use strict";

const UNKNOWN = "unknown"; // the value of a facet that is not stated
const LIMITS = {
  max_p99_ms: { column: "latency_p99_ms", holds: (value, limit) => value <= limit },
  max_hourly_usd: { column: "hourly_usd", holds: (value, limit) => value <= limit },
  min_throughput: { column: "throughput_ops_s", holds: (value, limit) => value >= limit },
};
const SEARCHED = ["service", "provider", "region", "instance_type", "cpu_model"];

// From what `/submissions/columns/` answers: columns by name, each with a value for every row.
function readColumns(answer) {
  const unpacked = ({ width, text }) => unpack(answer.alphabet, width, text);
  const sorted = summed(answer.ids.steps);
  const ids = unpacked(answer.ids.ranks).map((rank) => sorted[rank]);
  const count = ids.length;
  const rows = ids.map((_, row) => row);
  const at = {};
  for (const { of, values, places, steps } of answer.groups) {
    const combined = steps ? summed(steps) : unpacked(places);
    of.forEach((name, column) => { at[name] = values ? combined.map((place) => values[column][place]) : combined; });
  }
  const texts = {};
  for (const [name, text] of Object.entries(answer.numbers)) texts[name] = count ? text.split(" ") : [];
  texts.throughput_ops_s = texts.throughput_ops_s.map(quotient);
  texts.latency_p99_ms = texts.latency_p99_ms.map(quotient);
  texts.mean_instead_ms = texts.mean_instead_ms.map(quotient);
  texts.ops_per_usd = texts.ops_per_usd.map((text, row) =>
    text === "=" ? derivedValue(texts.throughput_ops_s[row], texts.hourly_usd[row]) : text);
  const numbers = {};
  for (const [name, column] of Object.entries(texts)) numbers[name] = column.map((text) => (text === "" ? null : Number(text)));
  const days = unpacked(answer.measured.days).map((day) => (day ? day - 1 + answer.measured.first : null));
  const places = unpacked(answer.measured.places);
  numbers.measured_at = days.map((day, row) => (day === null ? null : day + places[row] / 1e6));
  const nodes = answer.facets.node_count.values.map(([value]) => Number(value));
  numbers.node_count = at.node_count.map((place) => nodes[place]);
  numbers.created_at = ids;
  const columns = { ...answer, ids, count, at, texts, numbers, days };
  const plain = (name) => rows.map((row) => answer.columns[name][at[name][row]]);
  const cells = {};
  for (const name of Object.keys(answer.columns)) cells[name] = plain(name);
  for (const [name, { of, html }] of Object.entries(answer.slots)) {
    cells[name] = rows.map((row) => html[of.map((column) => at[column][row]).join(" ")]);
  }
  columns.cells = cells;
  const words = rows.map((row) => SEARCHED.map((name) => answer.facets[name].values[at[name][row]][0]).map((value) =>
    (value === UNKNOWN ? "" : value)));
  columns.searched = rows.map((row) => [cells.searched[row] || unescaped(cells.title[row]), ...words[row]].join("\n").toUpperCase());
  return columns;
}

function unpack(alphabet, width, text) {
  const digits = Object.fromEntries([...alphabet].map((letter, value) => [letter, value]));
  const numbers = new Array(text.length / width).fill(0);
  for (let place = 0; place < text.length; place += 1) {
    const number = Math.floor(place / width);
    numbers[number] = numbers[number] * alphabet.length + digits[text[place]];
  }
  return numbers;
}

function summed(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

function unescaped(html) {
  return html.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name) => ({ lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" })[name]);
}

// "101485.9/3" is the mean of three trials.
function quotient(text) {
  const [total, count] = text.split("/");
  return count ? String(Number(total) / Number(count)) : text;
}

// Operations that a dollar buys, with the four digits that are stored: 3600 rate / cost, half to even.
function derivedValue(rate, cost) {
  const [over, under] = [fraction(rate), fraction(cost)];
  const top = over.digits * 3600n * under.scale * 10000n;
  const bottom = over.scale * under.digits;
  let whole = top / bottom;
  const rest = (top % bottom) * 2n;
  if (rest > bottom || (rest === bottom && whole % 2n)) whole += 1n;
  const text = String(whole).padStart(5, "0");
  return `${text.slice(0, -4)}.${text.slice(-4)}`.replace(/\.?0+$/, "");
}

function fraction(text) {
  const [whole, decimals = ""] = plainText(text).split(".");
  return { digits: BigInt(whole + decimals), scale: 10n ** BigInt(decimals.length) };
}

// Without an exponent: 1e-7 -> 0.0000001.
function plainText(text) {
  const [, whole, decimals = "", exponent] = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/.exec(text);
  if (exponent === undefined) return text;
  const point = whole.length + Number(exponent);
  const digits = `${"0".repeat(Math.max(0, -point))}${whole}${decimals}`.padEnd(point, "0");
  const place = Math.max(point, 0);
  return `${digits.slice(0, place) || "0"}${digits.length > place ? `.${digits.slice(place)}` : ""}`;
}

// What a query chooses: values by facet, limits, words, an order. Null where only the server can answer it.
function choiceOf(columns, query, base) {
  const choice = { facets: {}, limits: {}, words: [], ordering: "-created_at", pairs: [] };
  const rest = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (value === "" || name === "cursor" || name === "page_size") continue;
    if (choice.pairs.some((pair) => pair[0] === name && pair[1] === value)) continue;
    choice.pairs.push([name, value]);
    if (base.some((pair) => pair[0] === name)) rest.push(`${name}=${value}`);
    else if (name === "workload") return null; // ages know prices within one workload that the server has chosen
    else if (name in columns.facets) {
      if (!columns.facets[name].values.some(([known]) => known === value)) return null;
      (choice.facets[name] ??= []).push(value);
    } else if (name in LIMITS) {
      const limit = Number(value);
      if (!(limit >= 0) || name in choice.limits) return null;
      choice.limits[name] = limit;
    } else if (name === "q") choice.words = value.toUpperCase().split(/\s+/).filter(Boolean);
    else if (name === "ordering") choice.ordering = value;
    else return null;
  }
  const same = rest.sort().join("&") === base.map((pair) => pair.join("=")).sort().join("&");
  return same && choice.ordering.replace(/^-/, "") in columns.numbers ? choice : null;
}

// The rows under all choices, and by facet the rows of each value under the choices in all others.
function chosenRows(columns, choice) {
  const tests = Object.entries(choice.facets).map(([name, values]) => {
    const wanted = new Set(columns.facets[name].values.flatMap(([value], place) => (values.includes(value) ? [place] : [])));
    const sets = columns.facets[name].sets?.map((set) => set.some((place) => wanted.has(place)));
    const at = columns.at[name];
    return { name, passes: sets ? (row) => sets[at[row]] : (row) => wanted.has(at[row]) };
  });
  const limits = Object.entries(choice.limits).map(([name, limit]) => [columns.numbers[LIMITS[name].column], LIMITS[name].holds, limit]);
  const counts = Object.fromEntries(Object.keys(columns.facets).map((name) => [name, new Map()]));
  const rows = [];
  for (let row = 0; row < columns.count; row += 1) {
    if (!limits.every(([numbers, holds, limit]) => numbers[row] !== null && holds(numbers[row], limit))) continue;
    if (!choice.words.every((word) => columns.searched[row].includes(word))) continue;
    const failed = tests.filter((test) => !test.passes(row));
    if (failed.length > 1) continue;
    if (!failed.length) rows.push(row);
    for (const name of failed.length ? [failed[0].name] : Object.keys(counts)) count(columns, counts[name], name, row);
  }
  return { rows, counts };
}

function count(columns, counted, name, row) {
  const { values, sets } = columns.facets[name];
  const place = columns.at[name][row];
  for (const one of sets ? sets[place] : [place]) counted.set(values[one][0], (counted.get(values[one][0]) ?? 0) + 1);
}

// Doubtful rows after all others, unless they are chosen by such a flag.
function inOrder(columns, rows, choice) {
  const isChosen = (choice.facets.flag ?? []).some((flag) => columns.doubtful.includes(flag));
  const isDoubtful = columns.facets.flag.sets.map((set) =>
    !isChosen && set.some((place) => columns.doubtful.includes(columns.facets.flag.values[place][0])));
  const [last, first] = [true, false].map((wanted) => rows.filter((row) => isDoubtful[columns.at.flag[row]] === wanted));
  return [...ordered(columns, first, choice.ordering), ...ordered(columns, last, choice.ordering)];
}

// Unknown last; equal ones by their ids, newest first where the order itself shows the best first.
function ordered(columns, rows, ordering) {
  const column = ordering.replace(/^-/, "");
  const down = ordering.startsWith("-") ? -1 : 1;
  const [numbers, ids] = [columns.numbers[column], columns.ids];
  const byId = (columns.best_first[column] ?? ordering) === ordering ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [numbers[a], numbers[b]];
    if (one !== other) {
      if (one === null) return 1;
      if (other === null) return -1;
      return (one - other) * down;
    }
    return (ids[a] - ids[b]) * byId;
  });
}

// The values of a facet in the order of the page: [value, label, number of rows, whether it is chosen].
function facetValues(columns, name, counts, chosen) {
  const { own, values } = columns.facets[name];
  let known = values.map(([value, label], place) => ({ value, label, place, rows: counts.get(value) ?? 0, chosen: chosen.includes(value) }));
  known = known.filter((one) => one.rows || one.chosen);
  if (name === "workload") {
    const most = [...known].sort((a, b) => b.rows - a.rows || a.place - b.place).slice(0, columns.most);
    known = known.filter((one) => one.chosen || most.includes(one));
    known.forEach((one) => { one.same = known.some((other) => other !== one && other.label === one.label); });
    known = known.map((one) => ({ ...one, label: one.same ? `${one.label} (${one.value.slice(0, 6)})` : one.label }));
  }
  const last = (one) => Number(one.value === UNKNOWN);
  known.sort((a, b) => last(a) - last(b) || (own ? a.place - b.place : b.rows - a.rows || (a.value < b.value ? -1 : 1)));
  const kept = known.filter((one, place) => place < columns.most || one.chosen);
  return { label: columns.facets[name].label, values: kept, hidden: known.length - kept.length };
}

// Which kind of latency a list by latency shows when none or several are chosen: the most common known one.
function usualKind(columns, counts, chosen) {
  const rows = (kind) => (chosen.length && !chosen.includes(kind) ? 0 : counts.get(kind) ?? 0);
  const known = columns.latency_kinds.map(([kind]) => kind).filter((kind) => kind !== UNKNOWN && rows(kind));
  return known.reduce((best, kind) => (rows(kind) > rows(best) ? kind : best), known[0] ?? UNKNOWN);
}
