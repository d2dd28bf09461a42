// @ts-check
/**
 * Makes nodes look like shapes, touching only those that do not: what is selected in the others stays selected.
 *
 * Nodes are made of names and text, each name one that `shapes.js` wrote; no markup is read.
 */

import { CodeBox } from "./codebox.js";
import { make } from "./dom.js";

/** @typedef {import("./shapes.js").Shape} Shape */
/** @typedef {import("./shapes.js").ElementShape} ElementShape */
/** @typedef {import("./codebox.js").Context} Context */

/** @type {WeakMap<Node, CodeBox>} */
const boxes = new WeakMap();

/**
 * Makes children look like shapes.
 *
 * @param {Node} parent
 * @param {ChildNode | null} last The last of its children that this is not about; null where it is about all of them.
 * @param {Shape[]} before What the others look like now.
 * @param {Shape[]} now What they shall look like.
 * @param {Context} context
 */
export function patch(parent, last, before, now, context) {
  let node = last ? last.nextSibling : parent.firstChild;
  for (const [at, shape] of now.entries()) {
    const old = before[at];
    const next = node?.nextSibling ?? null;
    if (old === undefined || !node) parent.insertBefore(nodeOf(shape, context), node);
    else if (!change(node, old, shape, context)) node.replaceWith(nodeOf(shape, context));
    node = next;
  }
  for (let at = now.length; at < before.length && node; at++) {
    const next = node.nextSibling;
    node.remove();
    node = next;
  }
}

/** Whether the node could be changed to look like it. @type {(node: ChildNode, old: Shape, shape: Shape, context: Context) => boolean} */
function change(node, old, shape, context) {
  if (typeof old === "string" || typeof shape === "string") {
    if (typeof old !== typeof shape) return false;
    if (old !== shape) write(/** @type {Text} */ (node), /** @type {string} */ (shape));
    return true;
  }
  if ("text" in old || "text" in shape) {
    if (!("text" in old && "text" in shape) || old.language !== shape.language) return false;
    boxes.get(node)?.set(shape.text);
    return true;
  }
  if (old.name !== shape.name || !isSame(old.attributes, shape.attributes)) return false;
  patch(node, null, old.children, shape.children, context);
  return true;
}

/** @type {(node: Text, text: string) => void} */
function write(node, text) {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** @type {(one: Record<string, string>, other: Record<string, string>) => boolean} */
function isSame(one, other) {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** @type {(shape: Shape, context: Context) => Node} */
function nodeOf(shape, context) {
  if (typeof shape === "string") return document.createTextNode(shape);
  if ("text" in shape) {
    const box = new CodeBox(shape.language, context);
    box.append(shape.text);
    boxes.set(box.element, box);
    return box.element;
  }
  const { name, attributes, children } = shape;
  return make(/** @type {"p"} */ (name), attributes, ...children.map((child) => nodeOf(child, context)));
}
