// Markdown as elements.

/** As much of Markdown as reports use, as elements that hold text. Anything else stays the text it is. */
function* markdown(source) {
  const lines = source.split("\n");
  let at = 0;
  const take = (fits) => {
    const from = at;
    while (at < lines.length && fits(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  const fence = /^\s*(`{3,}|~{3,})/;
  const item = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/s;
  const heading = /^ {0,3}(#{1,6})\s+(.*)$/s;
  const rule = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
  const starts = (line) => !line.trim() || [fence, item, heading, rule, /^ {0,3}>/, /^\s*\|/].some((form) => form.test(line));
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) {
      at += 1;
    } else if (fence.test(line)) {
      const [, mark] = line.match(fence);
      at += 1;
      const code = take((other) => !(other.trim().startsWith(mark) && !other.trim().replaceAll(mark[0], "")));
      at += 1;
      yield element("pre", "", code.join("\n"));
    } else if (heading.test(line)) {
      const [, marks, text] = line.match(heading);
      at += 1;
      yield inline(element(`h${Math.min(6, marks.length + 2)}`), text.match(/^.*[^\s#]/s)?.[0] ?? "");
    } else if (rule.test(line)) {
      at += 1;
      yield element("hr");
    } else if (/^\s*\|/.test(line) && /^[\s|:-]+$/.test(lines[at + 1] ?? "")) {
      yield table(take((other) => /^\s*\|/.test(other)));
    } else if (/^ {0,3}>/.test(line)) {
      const text = take((other) => /^ {0,3}>/.test(other)).map((other) => other.replace(/^ {0,3}> ?/, ""));
      yield inline(element("blockquote"), text.join("\n"));
    } else if (item.test(line)) {
      yield list(take((other) => item.test(other) || (/^\s+\S/.test(other) && !fence.test(other))), item);
    } else {
      at += 1;
      yield inline(element("p"), [line, ...take((other) => !starts(other))].join("\n"));
    }
  }
}

/** A list, with what is further in nested in it. */
function list(lines, item) {
  const items = [];
  for (const line of lines) {
    const match = line.match(item);
    if (match) items.push({ indent: match[1].length, mark: match[2], text: match[3] });
    else items.at(-1).text += ` ${line.trim()}`;
  }
  const top = document.createDocumentFragment();
  const nested = [];
  for (const { indent, mark, text } of items) {
    while (nested.length && indent < nested.at(-1).indent) nested.pop();
    if (!nested.length || indent > nested.at(-1).indent) {
      const made = element(/\d/.test(mark) ? "ol" : "ul");
      if (/\d/.test(mark)) made.start = Number.parseInt(mark, 10);
      (nested.at(-1)?.made.lastElementChild ?? top).append(made);
      nested.push({ indent, made });
    }
    const box = text.match(/^\[([ xX])\]\s+(.*)$/s);
    nested.at(-1).made.append(inline(element("li"), box ? `${box[1] === " " ? "☐" : "☑"} ${box[2]}` : text));
  }
  return top;
}

function table(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const found = element("table");
  lines.forEach((line, index) => {
    if (index === 1) return;
    const made = found.insertRow();
    for (const cell of cells(line)) made.append(inline(element(index ? "td" : "th"), cell));
  });
  const scroll = element("div", "scroll");
  scroll.append(found);
  return scroll;
}

function inline(target, text) {
  // Every second piece is what the split was made at.
  text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*|\*[^*\s][^*\n]*\*)/).forEach((piece, index) => {
    if (index % 2 === 0) target.append(piece);
    else if (piece[0] === "`") target.append(element("code", "", piece.slice(1, -1)));
    else if (piece[1] === "*") target.append(element("strong", "", piece.slice(2, -2)));
    else target.append(element("em", "", piece.slice(1, -1)));
  });
  return target;
}
