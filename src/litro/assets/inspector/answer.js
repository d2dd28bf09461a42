// @ts-check
/** An answer as a chat shows it: by the chat's own view, in a tree of its own, with the chat's looks. */

import { AnswerView, looks as answerLooks } from "../chat/answer.js";
import { make } from "../chat/dom.js";
import { adopt, css, looks } from "../chat/styles.js";
import { ENGLISH } from "../chat/texts.js";
import { announcer } from "./json.js";

/** The chat fills its place; an answer here is as high as it is. */
const OWN = css`
  :host { block-size: auto; min-block-size: 0; container: none; background: none; font-size: .9375rem; }
`;

/** Whatever a model writes, no picture of it is loaded here. */
const IMAGES = "none";

export function answerPart() {
  const host = make("div", { class: "answer" });
  const root = host.attachShadow({ mode: "open" });
  adopt(root, looks, answerLooks);
  adopt(root, OWN);
  const text = { kind: /** @type {const} */ ("text"), key: "text", text: "", isDone: false };
  const nothing = () => {};
  const context = { texts: ENGLISH, announcer, host, base: "", images: IMAGES, input: host, isLive: false, retry: nothing, edit: nothing };
  const view = new AnswerView(text, context);
  root.append(view.element);
  const update = (/** @type {{text: string, isDone: boolean}} */ now) => {
    if (now.text === text.text && now.isDone === text.isDone) return;
    Object.assign(text, now);
    view.update();
  };
  return { element: host, update };
}
