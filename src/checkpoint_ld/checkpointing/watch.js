"use strict";
const runs = document.getElementById("runs");
const state = document.getElementById("state");
const words = state.textContent;
async function follow() {
  try {
    const answer = await fetch("table", { cache: "no-store" });
    const table = await answer.text();
    if (answer.ok && table !== follow.shown) {
      runs.innerHTML = table;
      follow.shown = table;
    }
    state.textContent = words;
  } catch {
    state.textContent = "The command has ended: this is what was saved until then.";
  }
  setTimeout(follow, document.hidden ? 10000 : 2000);
}
setTimeout(follow, 2000);
