// @ts-check
/** What has changed between two texts, line by line. It is pure. */

/** Lines beyond which it is not worth it: then all of the new text is told. */
const MOST = 600;

/** @typedef {{kind: "same" | "gone" | "new", text: string}} Line */

/** @type {(before: string, now: string) => Line[]} */
export function difference(before, now) {
  const a = before.split("\n");
  const b = now.split("\n");
  if (a.length > MOST || b.length > MOST) return b.map((text) => ({ kind: "new", text }));
  const common = lengths(a, b);
  /** @type {Line[]} */
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: b[j] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ kind: "gone", text: a[i] ?? "" });
      i += 1;
    } else {
      lines.push({ kind: "new", text: b[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** How many lines both have in common from each pair of places on. @type {(a: string[], b: string[]) => number[][]} */
function lengths(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = table[i] ?? [];
    for (let j = b.length - 1; j >= 0; j -= 1) row[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
  }
  return table;
}

/** @type {(table: number[][], i: number, j: number) => number} */
function at(table, i, j) {
  return table[i]?.[j] ?? 0;
}
