// The provider and the region whose prices a reader looked at last, kept in the browser: the list opens on them.
"use strict";

const PRICE_PLACE = "price-place"; // in the browser's storage

(() => {
  const form = document.querySelector("form[data-remembers-place]");
  if (!form) return;
  const { provider, region } = form.elements;
  try {
    const kept = new URLSearchParams(localStorage.getItem(PRICE_PLACE) ?? "");
    if (!location.search && kept.get("region") && (kept.get("provider") !== provider.value || kept.get("region") !== region.value)) {
      location.replace(`?${kept}`);
    } else if (location.search && provider.value && region.value) {
      const place = new URLSearchParams({ provider: provider.value, region: region.value });
      localStorage.setItem(PRICE_PLACE, String(place));
    }
  } catch {
    // no storage: the list opens on the reference region
  }
})();
