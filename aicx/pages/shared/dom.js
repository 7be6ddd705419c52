// Builds elements. Text only ever becomes text nodes: nothing in this page parses HTML.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes (functions become listeners, null and false are left out) and children.
export function el(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

// The children of a node, replaced.
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
