// What a reader pays stays in this browser: no cookie, nothing on the server.
"use strict";

(() => {
  const STORED = "benchsite.prices";
  const NAMES = ["discount", "currency"];
  const form = document.querySelector("form[data-your-prices]");
  if (!form) return;
  const address = new URL(window.location.href);

  form.addEventListener("submit", () => {
    const own = NAMES.map((name) => [name, form.elements[name].value.trim()]).filter(([, value]) => value);
    for (const name of NAMES) form.elements[name].disabled = !own.some(([one]) => one === name);
    try {
      if (own.length) window.localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(own)));
      else forget();
    } catch { /* a browser that keeps nothing: the address has them */ }
  });

  if (form.querySelector("[aria-invalid]")) forget(); // else every page would refuse it
  if (NAMES.some((name) => address.searchParams.has(name))) return keepIn(address);
  for (const [name, value] of stored()) address.searchParams.set(name, value);
  if (address.href !== window.location.href) window.location.replace(address);

  function forget() {
    try {
      window.localStorage.removeItem(STORED);
    } catch { /* as above */ }
  }

  function stored() {
    try {
      const own = JSON.parse(window.localStorage.getItem(STORED)) ?? {};
      return NAMES.filter((name) => typeof own[name] === "string" && own[name]).map((name) => [name, own[name]]);
    } catch {
      return [];
    }
  }

  /** Other forms of the page keep the prices of its address. */
  function keepIn({ searchParams, pathname }) {
    for (const other of document.querySelectorAll('main form[method="get"]')) {
      if (new URL(other.action).pathname !== pathname) continue;
      for (const name of NAMES) {
        if (!searchParams.has(name) || other.elements[name]) continue;
        const field = Object.assign(document.createElement("input"), { type: "hidden", name });
        field.value = searchParams.get(name);
        other.append(field);
      }
    }
  }
})();
