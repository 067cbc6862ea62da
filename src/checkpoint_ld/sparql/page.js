"use strict";

const MOST_BARS = 30;
const MOST_ROWS = 5000;
const CHIPS = ["benchmarks", "questions", "keywords", "traits", "agent-executions", "agent-failed-calls"];
const MOST_KEPT = 30;
const MOST_LABELS = 200;
const MOST_TERMS = 400;
const NUMBERS = /#(integer|decimal|double|float|int|long|short|byte|nonNegativeInteger|positiveInteger)$/;
const FIRST = `SELECT ?benchmark ?name (COUNT(?item) AS ?questions)
WHERE {
  GRAPH ?benchmark {
    ?benchmark schema:name ?name ; schema:dataFeedElement ?item .
  }
}
GROUP BY ?benchmark ?name
ORDER BY DESC(?questions)
`;

const FIRST_OF_AGENTS = `SELECT ?execution (COUNT(DISTINCT ?checkpoint) AS ?checkpoints) (MAX(?used) AS ?tokens)
WHERE {
  GRAPH ?graph {
    ?checkpoint a caf:Checkpoint ; prov:wasGeneratedBy ?execution ; caf:metadata/caf:tokensUsed ?used .
  }
}
GROUP BY ?execution
ORDER BY DESC(?checkpoints) ?execution
`;
let first = FIRST;

const at = (id) => document.getElementById(id);
const made = (tag, text = "", className = "") => {
  const one = document.createElement(tag);
  one.textContent = text;
  if (className) one.className = className;
  return one;
};
const isNumber = (term) => term !== undefined && NUMBERS.test(term.datatype ?? "");

const link = (iri, text = iri) => {
  const one = made("a");
  // A line may break after these, and not inside of words.
  one.append(...text.split(/(?<=[/:#?&=-])/).flatMap((part) => [part, made("wbr")]));
  one.href = `resource?iri=${encodeURIComponent(iri)}`;
  one.dataset.iri = iri;
  return one;
};
const ROWS = { CSV: ["text/csv", "csv"], TSV: ["text/tab-separated-values", "tsv"], JSON: ["application/sparql-results+json", "json"], XML: ["application/sparql-results+xml", "xml"] };
const STATEMENTS = { Turtle: ["text/turtle", "ttl"], "N-Triples": ["application/n-triples", "nt"], "JSON-LD": ["application/ld+json", "jsonld"], "RDF/XML": ["application/rdf+xml", "rdf"] };

let examples = [];
let asked = "";

function parameterFields(example) {
  const fields = example.parameters.map((parameter) => {
    const field = made("div");
    const label = made("label", `${parameter.name}: ${parameter.words}${parameter.required ? "" : " (may be left empty)"}`);
    const input = made("input");
    input.name = parameter.name;
    input.id = `parameter-${parameter.name}`;
    input.required = parameter.required;
    label.htmlFor = input.id;
    input.addEventListener("input", () => bind(example));
    field.append(label, input);
    return field;
  });
  at("parameters").replaceChildren(...fields);
  at("parameters").hidden = fields.length === 0;
}

async function bind(example) {
  const given = new URLSearchParams();
  for (const input of at("parameters").querySelectorAll("input")) if (input.value) given.set(input.name, input.value);
  const isComplete = example.parameters.every((one) => !one.required || given.has(one.name));
  if (!isComplete || at("example").value !== example.name) return;
  const answer = await fetch(`queries/${encodeURIComponent(example.name)}?${given}`);
  const text = await answer.text();
  say(answer.ok ? "" : text);
  if (answer.ok && at("example").value === example.name) at("query").value = text;
}

function choose() {
  const example = examples.find((one) => one.name === at("example").value);
  at("about").hidden = example === undefined;
  if (example === undefined) {
    at("parameters").hidden = true;
    return;
  }
  const needs = example.needs_derived ? " It looks at derived statements: files have them if served with --derived." : "";
  at("about").textContent = example.description + needs;
  at("query").value = example.text;
  parameterFields(example);
  bind(example);
}

function say(fault) {
  at("fault").textContent = fault;
  at("fault").hidden = !fault;
}

const ask = (query, types) => fetch("sparql", {
  method: "POST",
  headers: { "Content-Type": "application/sparql-query", Accept: types },
  body: query,
});

// The query stands behind the #, so that it can be as long as it likes and goes to no log of a server.
const address = (query) => `#${new URLSearchParams({ query })}`;
const addressed = () => new URLSearchParams(location.hash.slice(1)).get("query");

async function follow() {
  const query = addressed();
  if (query === null) {
    at("query").value = first;
    at("result").hidden = at("chart").hidden = true;
    at("status").textContent = "";
    say("");
    return;
  }
  at("example").value = "";
  choose();
  at("query").value = query;
  await run();
}

// What this browser keeps: the texts of the tabs, and the queries that ran. Without storage, the page works without.
const kept = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`checkpoint-ld.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`checkpoint-ld.${name}`, JSON.stringify(value));
    } catch {
      // Storage is full or forbidden.
    }
  },
};

let tabs = [""];
let tab = 0;

function showTabs() {
  const buttons = tabs.map((_, index) => {
    const one = made("button", `${index + 1}`);
    one.setAttribute("aria-label", `Query ${index + 1}`);
    one.setAttribute("aria-pressed", String(index === tab));
    one.addEventListener("click", () => turnTo(index));
    return one;
  });
  const more = made("button", "+");
  more.setAttribute("aria-label", "New query");
  more.addEventListener("click", () => {
    tabs.push("");
    turnTo(tabs.length - 1);
  });
  for (const one of [...buttons, more]) one.type = "button";
  at("tabs").replaceChildren(...buttons, more);
}

function turnTo(index) {
  tabs[tab] = at("query").value;
  tab = index;
  at("query").value = tabs[tab];
  kept.set("tabs", tabs);
  showTabs();
}

function remember(query) {
  tabs[tab] = query;
  kept.set("tabs", tabs);
  const past = [query, ...kept.get("past", []).filter((one) => one !== query)].slice(0, MOST_KEPT);
  kept.set("past", past);
  showPast(past);
}

function showPast(past) {
  const options = past.map((query, index) => {
    const one = made("option", query.replace(/\s+/g, " ").slice(0, 80));
    one.value = String(index);
    return one;
  });
  const none = made("option", "–");
  none.value = "";
  at("past").replaceChildren(none, ...options);
}

// Prefixes, and the classes and properties that are there, as completions; read when they are first wanted.
let known = null;
let prefixes = {};

const short = (iri) => {
  const found = Object.entries(prefixes).filter(([, namespace]) => iri.startsWith(namespace) && /^[\w-]*$/.test(iri.slice(namespace.length)));
  return found.length > 0 ? `${found[0][0]}:${iri.slice(found[0][1].length)}` : `<${iri}>`;
};

async function terms(kind, pattern) {
  const answer = await ask(`SELECT DISTINCT ?t WHERE { ${pattern} } LIMIT ${MOST_TERMS}`, "application/sparql-results+json");
  if (!answer.ok) return [];
  const rows = (await answer.json()).results.bindings;
  return rows.filter((row) => row.t?.type === "uri").map((row) => ({ label: short(row.t.value), detail: kind, boost: 1 }));
}

function complete() {
  known ??= (async () => {
    prefixes = await (await fetch("prefixes")).json();
    const found = [await terms("class", "?s a ?t"), await terms("property", "?s ?t ?o")];
    const words = ["SELECT", "DISTINCT", "WHERE", "GRAPH", "OPTIONAL", "FILTER", "BIND", "VALUES", "UNION", "MINUS", "GROUP BY", "ORDER BY", "LIMIT", "COUNT", "CONSTRUCT", "ASK", "DESCRIBE"];
    return [
      ...found.flat(),
      ...Object.entries(prefixes).map(([name, namespace]) => ({ label: `${name}:`, detail: namespace })),
      ...words.map((label) => ({ label, detail: "keyword", boost: -1 })),
    ];
  })().catch(() => []);
  return known;
}

// The labels of the IRIs of a result, beside them.
async function label(table) {
  const links = Array.from(table.querySelectorAll("a")).filter((one) => one.dataset.iri !== undefined);
  const iris = [...new Set(links.map((one) => one.dataset.iri))].slice(0, MOST_LABELS);
  if (iris.length === 0) return;
  const values = iris.map((iri) => `<${iri}>`).join(" ");
  const query = `SELECT ?i (SAMPLE(?l) AS ?label) WHERE { VALUES ?i { ${values} } ?i rdfs:label|schema:name ?l } GROUP BY ?i`;
  const answer = await ask(query, "application/sparql-results+json");
  if (!answer.ok) return;
  const found = new Map((await answer.json()).results.bindings.filter((row) => row.label).map((row) => [row.i.value, row.label.value]));
  for (const one of links) if (found.has(one.dataset.iri)) one.after(made("span", found.get(one.dataset.iri), "name"));
}

function chips() {
  const shown = CHIPS.map((name) => examples.find((one) => one.name === name)).filter((one) => one !== undefined);
  at("chips").replaceChildren(...shown.map((example) => {
    const one = made("button", example.name);
    one.type = "button";
    one.title = example.title;
    one.addEventListener("click", () => {
      at("example").value = example.name;
      choose();
      run();
    });
    return one;
  }));
}

async function download(name, [type, extension]) {
  const answer = await ask(asked, type);
  if (!answer.ok) {
    say(await answer.text());
    return;
  }
  const one = made("a");
  one.href = URL.createObjectURL(await answer.blob());
  one.download = `result.${extension}`;
  one.click();
  setTimeout(() => URL.revokeObjectURL(one.href), 60000);
}

function offer(formats) {
  at("downloads").replaceChildren("Download", ...Object.entries(formats).map(([name, format]) => {
    const one = made("button", name);
    one.type = "button";
    one.addEventListener("click", () => download(name, format));
    return one;
  }));
  at("downloads").hidden = false;
}

async function run() {
  const query = at("query").value;
  if (addressed() !== query) history.pushState(null, "", address(query));
  asked = query;
  remember(query);
  at("run").disabled = true;
  at("status").textContent = "…";
  say("");
  const begun = performance.now();
  try {
    const answer = await ask(query, "application/sparql-results+json, text/turtle");
    const text = await answer.text();
    if (asked !== query) return;
    if (!answer.ok) throw new Error(text);
    const seconds = ((performance.now() - begun) / 1000).toFixed(2);
    at("status").textContent = `${show(answer.headers.get("Content-Type"), text)} · ${seconds} s`;
  } catch (error) {
    if (asked !== query) return;
    at("status").textContent = "";
    at("result").hidden = true;
    at("chart").hidden = true;
    say(error.message.trim() || "the server does not answer");
  } finally {
    at("run").disabled = false;
  }
}

function show(kind, text) {
  const table = document.querySelector(".result table");
  const pre = document.querySelector(".result pre");
  const isRows = kind.startsWith("application/sparql-results+json");
  const told = isRows ? JSON.parse(text) : null;
  at("result").hidden = false;
  table.hidden = told?.results === undefined;
  pre.hidden = !table.hidden;
  if (told?.results === undefined) {
    at("chart").hidden = true;
    offer(told === null ? STATEMENTS : { JSON: ROWS.JSON, XML: ROWS.XML });
    pre.replaceChildren(...(told === null ? linked(text) : [told.boolean ? "yes" : "no"]));
    return told === null ? "statements" : "an answer";
  }
  const columns = told.head.vars;
  const rows = told.results.bindings;
  offer(ROWS);
  fill(table, columns, rows);
  label(table);
  draw(columns, rows);
  const cut = told.cut ? ", cut: there are more" : rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} of them shown` : "";
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}${cut}`;
}

// Strings first, so that nothing in them is taken for a name.
const TOKENS = /"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"|<[^<>"\s]+>|(?<![\w@^])[\w-]*:(?:[\w.%:-]*[\w%-])?/g;
const PREFIX = /^@prefix ([\w-]*): <([^>]*)>/gm;

function linked(turtle) {
  const prefixes = Object.fromEntries(Array.from(turtle.matchAll(PREFIX), ([, name, namespace]) => [name, namespace]));
  const parts = [];
  let end = 0;
  for (const { 0: token, index } of turtle.matchAll(TOKENS)) {
    const colon = token.indexOf(":");
    const namespace = prefixes[token.slice(0, colon)];
    const isName = !/^["<]/.test(token) && namespace !== undefined && colon < token.length - 1;
    const iri = token.startsWith("<") ? token.slice(1, -1) : isName ? namespace + token.slice(colon + 1) : "";
    if (!iri) continue;
    parts.push(turtle.slice(end, index), link(iri, token));
    end = index + token.length;
  }
  return [...parts, turtle.slice(end)];
}

function fill(table, columns, rows) {
  const head = made("tr");
  head.append(...columns.map((name) => {
    const cell = made("th", name);
    cell.scope = "col";
    return cell;
  }));
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => {
    const line = made("tr");
    line.append(...columns.map((name) => {
      const term = row[name];
      if (term === undefined) return made("td", "", "unbound");
      const cell = made("td", "", isNumber(term) ? "number" : term.type === "literal" ? "" : "term");
      cell.append(term.type === "uri" ? link(term.value) : term.type === "triple" ? JSON.stringify(term.value) : term.value);
      return cell;
    }));
    return line;
  }));
}

function draw(columns, rows) {
  const counted = columns.find((name) => rows.length > 0 && rows.every((row) => isNumber(row[name])));
  const words = columns.filter((name) => name !== counted && rows.some((row) => row[name] !== undefined));
  const label = words.find((name) => rows.some((row) => row[name]?.type === "literal")) ?? words[0];
  at("chart").hidden = counted === undefined || label === undefined || rows.length < 2;
  if (at("chart").hidden) return;
  const shown = rows.slice(0, MOST_BARS);
  const largest = Math.max(...shown.map((row) => Number(row[counted].value)), 0);
  at("chart-title").textContent = `${counted} by ${label}${rows.length > MOST_BARS ? `, the first ${MOST_BARS}` : ""}`;
  at("bars").replaceChildren(...shown.flatMap((row) => {
    const name = made("dt", row[label]?.value ?? "–");
    const value = Number(row[counted].value);
    const cell = made("dd");
    const bar = made("span", "", "bar");
    bar.style.width = `${largest > 0 ? Math.max(value / largest, 0) * 85 : 0}%`;
    name.title = name.textContent;
    cell.append(bar, made("span", row[counted].value));
    return [name, cell];
  }));
}

async function start() {
  tabs = kept.get("tabs", [""]);
  at("query").value = addressed() ?? (tabs[0] || first);
  if (window.SparqlEditor) SparqlEditor.over(at("query"), complete);
  showTabs();
  showPast(kept.get("past", []));
  at("past").addEventListener("change", () => {
    const query = kept.get("past", [])[Number(at("past").value)];
    if (at("past").value !== "" && query !== undefined) at("query").value = query;
  });
  at("service").textContent = new URL("sparql", location.href).href;
  document.querySelector(".ask").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  at("example").addEventListener("change", choose);
  examples = await (await fetch("queries")).json();
  chips();
  at("example").append(...examples.map((one) => {
    const option = made("option", `${one.name}: ${one.title}`);
    option.value = one.name;
    return option;
  }));
  const hasNone = async (pattern) => {
    const answer = await ask(`ASK { GRAPH ?graph { ${pattern} } }`, "application/sparql-results+json");
    return answer.ok && (await answer.json()).boolean === false;
  };
  if (await hasNone("?feed schema:dataFeedElement ?item") && !(await hasNone("?checkpoint a caf:Checkpoint"))) {
    if (at("query").value === first) at("query").value = FIRST_OF_AGENTS;
    first = FIRST_OF_AGENTS;
  }
  addEventListener("popstate", follow);
  if (addressed() !== null) await follow();
}

start();
