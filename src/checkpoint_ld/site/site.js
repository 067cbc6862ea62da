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

  function filled([address, text, , [keywords, states, kinds, results]]) {
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
