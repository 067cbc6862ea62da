// An editor for SPARQL in a shadow tree, where its style sheets need no leave of the page's policy.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--literal)" },
  { tag: [tags.atom, tags.number, tags.bool], color: "var(--literal)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: "var(--variable)" },
]);

const look = EditorView.theme({
  "&": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: ".5rem", height: "19rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: ".875rem", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: ".5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--code)", color: "var(--soft)", border: "0" },
  ".cm-activeLine": { background: "transparent" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--bar)" },
  ".cm-tooltip": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
});

// Returns an editor over a text area, whose `value` is that of the editor from then on. `complete` returns options.
export function over(area, complete) {
  const host = document.createElement("div");
  host.className = "editor";
  area.after(host);
  const root = host.attachShadow({ mode: "open" });
  const options = async (context) => {
    const word = context.matchBefore(/[\w:?-]+/);
    if (word === null && !context.explicit) return null;
    return { from: word === null ? context.pos : word.from, options: await complete(), validFor: /^[\w:?-]*$/ };
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        StreamLanguage.define(sparql), syntaxHighlighting(colours), look, EditorView.lineWrapping,
        autocompletion({ override: [options], icons: false }),
        EditorView.contentAttributes.of({ "aria-label": "SPARQL", "aria-describedby": "keys" }),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap.filter((one) => one.key !== "Mod-Enter"), ...historyKeymap]),
      ],
    }),
  });
  area.hidden = true;
  Object.defineProperty(area, "value", {
    get: () => view.state.doc.toString(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
  });
  return view;
}
