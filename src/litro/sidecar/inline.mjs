// Scripts that can stand between <script> and </script>: there are three sequences that an HTML parser would take for its own.
//
// Literals are written otherwise, and mean the same. It knows no grammar: whether a place is in a literal, the parser tells.

import { Script } from "node:vm";

/** `<!--` and `<script` put the parser into a state in which it passes over the next `</script`. */
const SEQUENCE = /<(?=!--|\/?script)/gi;

/** What a template's tag sees besides the text: there, `\x3c` is four characters. */
const RAW = /\bString\s*\.\s*raw\b/;

/** @param {string} code */
export function isSafe(code) {
  return code.search(SEQUENCE) < 0;
}

/**
 * Whether literals of the script can be written otherwise and mean the same.
 * @param {string} code
 */
export function readsRaw(code) {
  return RAW.test(code) && !isSafe(code);
}

/**
 * The same script without the sequences.
 * @param {string} code
 */
export function inlined(code) {
  const parts = code.split(SEQUENCE);
  const all = parts.join("\\x3c");
  return parses(all) ? all : oneByOne(parts);
}

/**
 * What is wrong with the source, by the engine that will run it; null where nothing is.
 *
 * @param {string} code A classic script.
 * @returns {{ message: string, line: number } | null}
 */
export function fault(code) {
  try {
    void new Script(code, { filename: "script", importModuleDynamically: undefined });
    return null;
  } catch (error) {
    const { message, stack } = /** @type {Error} */ (error);
    return { message, line: Number(/^script:(\d+)/.exec(stack ?? "")?.[1] ?? 1) };
  }
}

/** @param {string} code */
function parses(code) {
  return fault(code) === null;
}

/**
 * Outside of literals, where it means "less than", a space does.
 * @param {string[]} parts
 */
function oneByOne(parts) {
  return parts.reduce((done, part, at) => {
    const rest = [part, ...parts.slice(at + 1)].join("<");
    return `${done}${parses(`${done}\\x3c${rest}`) ? "\\x3c" : "< "}${part}`;
  });
}
