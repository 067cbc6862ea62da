"use strict";
(() => {
  const findings = Array.from(document.querySelectorAll(".finding"));
  const files = Array.from(document.querySelectorAll(".file"));
  const buttons = Array.from(document.querySelectorAll(".filters button"));
  const search = document.getElementById("search");
  const status = document.querySelector(".shown");
  const nothing = document.querySelector(".nothing");
  let severity = "all";
  let texts = null;

  // Reading ten thousand texts takes a moment, so nobody waits for it before the first search.
  function textOf(index) {
    texts ??= findings.map((finding) => {
      const file = finding.closest(".file").querySelector("h2").textContent;
      return `${file} ${finding.textContent}`.toLowerCase();
    });
    return texts[index];
  }

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const counts = { all: 0 };
    let shown = 0;
    findings.forEach((finding, index) => {
      const own = finding.dataset.severity;
      const matches = words.every((word) => textOf(index).includes(word));
      if (matches) {
        counts.all += 1;
        counts[own] = (counts[own] ?? 0) + 1;
      }
      finding.hidden = !matches || (severity !== "all" && own !== severity);
      shown += finding.hidden ? 0 : 1;
    });
    const everything = severity === "all" && words.length === 0;
    for (const file of files) {
      file.hidden = !everything && file.querySelector(".finding:not([hidden])") === null;
    }
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.severity === severity));
      button.querySelector(".count").textContent = counts[button.dataset.severity] ?? 0;
    }
    status.textContent = everything ? "" : `${shown} of ${findings.length} shown`;
    nothing.hidden = everything || shown > 0;
  }

  function showAll() {
    severity = "all";
    search.value = "";
    update();
  }

  function move(step) {
    const visible = findings.filter((finding) => !finding.hidden);
    const here = visible.indexOf(document.activeElement.closest(".finding"));
    const next = visible[here < 0 ? (step > 0 ? 0 : visible.length - 1) : here + step];
    if (next) {
      next.closest(".file").open = true;
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      severity = button.dataset.severity;
      update();
    });
  }
  search.addEventListener("input", update);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Escape") {
      showAll();
      document.activeElement.blur();
    } else if (document.activeElement !== search && event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (document.activeElement !== search && (event.key === "j" || event.key === "k")) {
      move(event.key === "j" ? 1 : -1);
    }
  });

  // A browser keeps what was typed when a page is loaded again.
  if (findings.length > 0) {
    document.querySelector(".bar").hidden = false;
    document.querySelector(".keys").hidden = false;
    update();
  }
})();
