"use strict";
(() => {
  const list = document.getElementById("questions");
  const keys = { j: 1, k: -1 };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && list) {
      reset();
      document.activeElement.blur();
    } else if (event.key === "/" && !typing && list) {
      event.preventDefault();
      search.focus();
    } else if (event.key in keys && !typing) {
      move(keys[event.key]);
    }
  });

  // On the page of a question the keys lead to its neighbours, in a list from link to link.
  function move(step) {
    if (!list) {
      document.querySelector(`a[rel=${step > 0 ? "next" : "prev"}]`)?.click();
      return;
    }
    const links = Array.from(list.querySelectorAll("a.text"));
    const here = links.indexOf(document.activeElement);
    links[here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step]?.focus();
  }

  if (!list) return;

  const search = document.getElementById("search");
  const selects = Array.from(document.querySelectorAll(".bar select"));
  const status = document.querySelector(".shown");
  const more = document.getElementById("more");
  const total = Number(list.dataset.total);
  const shards = Number(list.dataset.shards);
  const step = Number(list.dataset.listed);
  const model = document.getElementById("row").content.firstElementChild;
  let shown = step;
  let loading = null;

  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  // Ten thousand questions are some megabytes: nobody waits for them before the first search.
  function load() {
    if (loading) return loading;
    const rows = [];
    window.checkpointLdQuestions = (number, part) => { rows[number] = part; };
    loading = Promise.all(
      Array.from({ length: shards }, (_, number) => new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = `search-${number}.js`;
        script.onload = () => done(rows[number]);
        script.onerror = () => failed(new Error(script.src));
        document.head.append(script);
      })),
    ).then((parts) => parts.flat().map((row) => [...row, folded(`${row[1]} ${row[2]} ${row[3][0].join(" ")}`)]));
    return loading;
  }

  function filled([address, text, , [keywords, states, kinds, , results]]) {
    const item = model.cloneNode(true);
    const link = item.querySelector("a");
    link.href = `questions/${address}.html`;
    link.textContent = text || "(no text)";
    for (const [name, values] of [["keyword", keywords], ["state", states], ["trait", kinds], ["answer", results]]) {
      for (const value of values) {
        const tag = document.createElement("span");
        tag.className = `tag ${name} ${value.replace(/ /g, "-")}`;
        tag.textContent = value;
        item.lastElementChild.append(tag);
      }
    }
    return item;
  }

  const wanted = () => [search, ...selects].some((one) => one.value !== "");

  async function update() {
    const values = new URLSearchParams([search, ...selects].filter((one) => one.value).map((one) => [one.name, one.value]));
    if (String(values) !== location.hash.slice(1)) history.replaceState(null, "", `#${values}`);
    if (!wanted() && loading === null && shown === step) return;
    status.textContent = "Searching …";
    try {
      const rows = await load();
      const words = folded(search.value).split(/\s+/).filter(Boolean);
      const found = rows.filter((row) =>
        words.every((one) => row[4].includes(one)) &&
        selects.every((one) => one.value === "" || row[3][Number(one.dataset.at)].includes(one.value)));
      list.replaceChildren(...found.slice(0, shown).map(filled));
      status.textContent = wanted() ? `${found.length} of ${total} questions` : "";
      more.hidden = found.length <= shown;
      document.querySelector(".nothing").hidden = found.length > 0;
    } catch (error) {
      status.textContent = `${error.message} cannot be read: the site is not complete`;
    }
  }

  function reset() {
    for (const one of [search, ...selects]) one.value = "";
    shown = step;
    update();
  }

  // An address that ends in #keyword=… or #q=… opens the page with that choice.
  function choose() {
    const values = new URLSearchParams(location.hash.slice(1));
    for (const one of [search, ...selects]) {
      const value = values.get(one.name) ?? "";
      if (one !== search && value && !Array.from(one.options).some((each) => each.value === value)) {
        one.add(new Option(value, value));
      }
      one.value = value;
    }
    update();
  }

  search.addEventListener("input", () => { shown = step; update(); });
  for (const one of selects) one.addEventListener("change", () => { shown = step; update(); });
  more.addEventListener("click", () => { shown += step; update(); });
  window.addEventListener("hashchange", choose);
  if (total > 0) {
    document.querySelector(".bar").hidden = false;
    document.querySelector(".keys").hidden = false;
    more.hidden = total <= step;
    choose();
  }
})();

// The table of recorded answers: question by model, with the signs of all replicates.
(() => {
  const grid = document.getElementById("grid");
  if (!grid) return;
  const body = grid.tBodies[0];
  const search = document.getElementById("grid-search");
  const more = document.getElementById("more-rows");
  const status = document.querySelector(".shown");
  const buttons = Array.from(document.querySelectorAll("[data-only]"));
  const step = Number(grid.dataset.listed);
  let rows = [];
  let shown = step;
  let only = "";
  let by = -2;
  let down = false;

  const rate = (signs) => {
    const passed = signs.split("✓").length - 1;
    const decided = passed + signs.split("✗").length - 1;
    return decided ? passed / decided : -1;
  };
  const text = (signs) => {
    const passed = signs.split("✓").length - 1;
    return `${passed}/${passed + signs.split("✗").length - 1}`;
  };
  const matches = {
    "": () => true,
    failed: (signs) => signs.includes("✗"),
    disagreeing: (signs) => signs.includes("✗") && signs.includes("✓"),
    undecided: (signs) => /[?!]/.test(signs),
  };

  function cell(content, href, label) {
    const made = document.createElement("td");
    if (!content && !label) return made;
    if (!href) {
      made.textContent = content;
      return made;
    }
    const link = document.createElement("a");
    link.href = href;
    link.className = label ? "marks" : "text";
    link.textContent = label ? `${label} ` : content || "(no text)";
    if (label) {
      const signs = document.createElement("span");
      signs.textContent = content;
      link.append(signs);
    }
    made.append(link);
    return made;
  }

  function line([place, question, cells, share]) {
    const made = document.createElement("tr");
    const page = `questions/${place}.html`;
    made.append(cell(question, `${page}#answers`), cell(share));
    cells.forEach((signs, at) => made.append(cell(signs, `${page}#model-${at}`, signs && text(signs))));
    return made;
  }

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((row) => matches[only](row.signs) && words.every((one) => row.folded.includes(one)));
    if (by !== -2) {
      const key = (row) => (by === -1 ? rate(row.signs) : rate(row[2][by]));
      found.sort((one, other) => (down ? key(other) - key(one) : key(one) - key(other)));
    } else if (down) {
      found.reverse();
    }
    body.replaceChildren(...found.slice(0, shown).map(line));
    status.textContent = only || words.length ? `${found.length} of ${rows.length} questions` : "";
    more.hidden = found.length <= shown;
    document.querySelector(".nothing").hidden = found.length > 0;
  }

  window.checkpointLdAnswers = (read) => {
    rows = read;
    for (const row of rows) {
      row.signs = row[2].join("");
      row.folded = row[1].toLowerCase();
    }
    document.querySelector(".bar").hidden = false;
    more.hidden = rows.length <= step;
  };
  search.addEventListener("input", () => { shown = step; update(); });
  more.addEventListener("click", () => { shown += step; update(); });
  for (const button of buttons) {
    button.addEventListener("click", () => {
      only = button.dataset.only;
      shown = step;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      update();
    });
  }
  for (const button of grid.querySelectorAll(".sort")) {
    button.addEventListener("click", () => {
      const chosen = Number(button.dataset.by);
      down = chosen === by && !down;
      by = chosen;
      for (const head of grid.querySelectorAll("th")) head.removeAttribute("aria-sort");
      button.parentElement.setAttribute("aria-sort", down ? "descending" : "ascending");
      update();
    });
  }
})();
