// Buttons that copy a text, and say that they did.

import { el } from "./dom.js";

const SAID_FOR = 1600;

export function copyButton(text, label, shown = "Copy") {
  const button = el("button", { type: "button", class: "copy", title: label, "aria-label": label, click: copy }, shown);
  async function copy(event) {
    event.stopPropagation();
    const done = await write(text);
    button.textContent = done ? "Copied" : "Not allowed";
    setTimeout(() => (button.textContent = shown), SAID_FOR);
  }
  return button;
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
