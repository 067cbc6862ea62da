"use strict";
const form = document.querySelector(".filter");
const rows = [...document.querySelectorAll(".moments tbody tr")];
const texts = rows.map((row) => row.textContent.toLowerCase());
function filter() {
  const words = form.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, at) => {
    const kind = form[row.className];
    const fits = (!kind || kind.checked)
      && (!form.failed.checked || ["failed", "cut-off"].includes(row.dataset.outcome))
      && words.every((word) => texts[at].includes(word));
    row.hidden = !fits;
    shown += fits;
  });
  form.querySelector("output").textContent = `${shown} of ${rows.length}`;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
filter();
