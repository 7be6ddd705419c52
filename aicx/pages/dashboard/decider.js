// The dialog in which a person decides about a record: what it says, in whose name, and why. The name is asked once.

import { el, fill } from "./dom.js";

const NAME = "aicx-person";
const QUESTIONS = {
  accept: ["Accept this?", "Accept"],
  instead: ["Accept this in place of another?", "Accept"],
  reject: ["Reject this?", "Reject"],
  pin: ["Pin this?", "Pin"],
  unpin: ["Take the pin off?", "Unpin"],
  replace: ["Put another in its place?", "Replace"],
  supersede: ["Put the other in its place?", "Replace"],
  validate: ["Does this still hold?", "It still holds"],
};

// `decided` is called with the place of the record on the page once the decision is made.
export function createDecider(pane, { send, decided, announce }) {
  const name = el("button", { type: "button", class: "quiet", click: forget });
  const dialog = el("dialog", { class: "help decide" });
  pane.append(dialog);
  let known = kept();
  told();

  function told() {
    name.textContent = known ? `deciding as ${known}` : "";
    name.title = name.ariaLabel = known ? `Deciding as ${known}; press to change the name` : "";
    name.hidden = !known;
  }

  function forget() {
    known = "";
    keep("");
    told();
    announce("The name is asked again with the next decision");
  }

  function ask(wanted) {
    pane.append(dialog); // what is drawn anew may have taken it away
    const { action, card, other } = wanted;
    const [question, verb] = QUESTIONS[action];
    const by = el("input", { type: "text", name: "by", required: true, maxlength: "80", autocomplete: "name", value: known });
    const why = el("input", { type: "text", name: "why", maxlength: "500", autocomplete: "off" });
    const choice = ["instead", "replace"].includes(action) && choices(wanted);
    const failed = el("p", { class: "note", role: "alert" });
    const form = el(
      "form",
      { submit: decide },
      el("h2", {}, question),
      el("p", { class: "statement" }, card.entry.statement ?? card.entry.ref),
      other && el("p", { class: "statement other" }, other.entry.statement),
      choice && el("label", {}, action === "instead" ? "In place of" : "Its place takes", choice),
      !known && el("label", {}, "Your name", by),
      el("label", {}, "Why (optional)", why),
      failed,
      el(
        "p",
        { class: "actions" },
        el("button", { type: "submit" }, known ? `${verb} as ${known}` : verb),
        el("button", { type: "button", class: "quiet", click: () => dialog.close() }, "Cancel"),
      ),
    );
    fill(dialog, form);
    dialog.showModal();
    (known ? form.querySelector("[type=submit]") : by).focus();

    async function decide(event) {
      event.preventDefault();
      const person = by.value.trim();
      if (!person) return;
      form.inert = true;
      try {
        for (const one of decisions(wanted, choice && wanted.choices.find(({ entry }) => entry.ref === choice.value)))
          await send({ ...one, by: person, why: why.value.trim() || null, project: wanted.project });
        known = person;
        keep(known);
        told();
        dialog.close();
        announce(`${verb}: done`);
        await decided(wanted.at);
      } catch (error) {
        failed.textContent = error.message;
        form.inert = false;
      }
    }
  }

  return { name, ask };
}

// A browser that keeps nothing for this page asks for the name with each visit.
function kept() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

function keep(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // See above.
  }
}

// What is sent. Only what is accepted can take another's place, so that one comes first.
function decisions({ action, card, other }, chosen) {
  const about = ({ entry, digest }) => ({ ref: entry.ref, rev: entry.rev, digest: digest || null });
  if (action === "instead")
    return [
      { action: "accept", ...about(card) },
      { action: "supersede", ...about(chosen), other: card.entry.ref },
    ];
  if (action === "replace") return [{ action: "supersede", ...about(card), other: chosen.entry.ref }];
  if (action === "supersede") return [{ action: "supersede", ...about(card), other: other.entry.ref }];
  return [{ action, ...about(card) }];
}

// The agreed records that it may take the place of, or that may take its place: those of its topic first.
function choices({ card, choices: all }) {
  const near = ({ entry }) => entry.topic === card.entry.topic;
  const others = all.filter(({ entry }) => entry.ref !== card.entry.ref);
  return el(
    "select",
    { required: true },
    [...others.filter(near), ...others.filter((one) => !near(one))].map(({ entry }) =>
      el("option", { value: entry.ref }, `${entry.topic}: ${entry.statement}`),
    ),
  );
}
