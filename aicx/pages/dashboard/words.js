// What counts as a word of a question or a text, and which words are one.

const STOP_WORDS = new Set(
  (
    "a about all also am an and any are as at be because been but by can could did do does for from get had has have how i if in " +
    "into is it its me my no not of on or our out over so than that the their then there these they this to up was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);
const ENDINGS = /(?:ations?|ating|ated|ates|ions?|ings?|ness|ment|ers?|ed|es|ly|s|e)$/;
const DOUBLED = /([bdgmnprt])\1$/; // dropp(ed), plann(ing)
const LEAST_STEM = 4;
const RUNS = /[\p{L}\p{N}_]+/gu;
const PIECES = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu;

export function isStopWord(word) {
  return STOP_WORDS.has(word.toLowerCase());
}

// A path, a symbol or an error code is meant letter by letter.
export function isName(word) {
  return /[^\p{L}]/u.test(word) || /\p{Ll}\p{Lu}/u.test(word);
}

// The beginning that inflected forms of a word share, more or less; short words are left as they are.
export function stemOf(word) {
  const stem = word.toLowerCase().replace(ENDINGS, "").replace(DOUBLED, "$1");
  return stem.length >= LEAST_STEM ? stem : word.toLowerCase();
}

// What stands in quotes, and the question without it.
export function phrasesOf(question) {
  const phrases = [];
  const rest = question.replace(/"([^"]*)"/g, (_, phrase) => {
    if (phrase.trim()) phrases.push(phrase.trim());
    return " ";
  });
  return { phrases, rest };
}

// The terms of a text in order: stems of words, and a name (foo_bar, fooBar) both whole and in its pieces.
export function* termsOf(text) {
  for (const [run] of text.matchAll(RUNS)) {
    if (!isName(run)) {
      if (!isStopWord(run)) yield stemOf(run);
      continue;
    }
    yield run.toLowerCase();
    const pieces = run.match(PIECES) ?? [];
    if (pieces.length > 1) for (const piece of pieces) if (!isStopWord(piece)) yield stemOf(piece);
  }
}
