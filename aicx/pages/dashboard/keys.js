// The keyboard. A key does nothing while something is being typed, except Escape.

import { el, fill } from "./dom.js";

const KEYS = [
  ["/", "ask: to the search box"],
  ["j  k", "next, previous answer; inside a session, message"],
  ["Enter", "open the answer; fold or unfold a tool call"],
  ["n  p", "next, previous hit in the session"],
  ["u", "unfold or fold every tool call; in work, everything"],
  ["Esc", "close the session, or leave the box"],
  ["o", "overview and back"],
  ["w", "why: to the box for a commit or file, and back"],
  ["m", "memory and back"],
  ["c", "work: what is open, and back"],
  ["t", "theme: as the system, light, dark"],
  ["?", "these keys"],
];

export function helpDialog() {
  const close = el(
    "button",
    { type: "button", class: "close", "aria-label": "Close", click: () => dialog.close() },
    "×",
  );
  const dialog = el(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    el("div", { class: "bar" }, el("h2", {}, "Keys"), close),
  );
  const list = KEYS.map(([keys, meaning]) => [
    el(
      "dt",
      {},
      keys.split("  ").map((key) => el("kbd", {}, key)),
    ),
    el("dd", {}, meaning),
  ]);
  dialog.append(fill(el("dl", {}), list));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select");
    if (typing && event.key !== "Escape") return;
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

// Moves the focus to the next or previous of some elements, from wherever it is.
export function moveFocus(elements, by) {
  if (!elements.length) return;
  const at = elements.findIndex((node) => node.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : elements.length - 1) : Math.min(Math.max(at + by, 0), elements.length - 1);
  const target = elements[next].matches("details") ? elements[next].querySelector("summary") : elements[next];
  target.focus({ preventScroll: true });
  (elements[next].closest("li") ?? elements[next]).scrollIntoView({ block: "nearest" });
}
