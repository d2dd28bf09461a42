/** Lets Node find what is vendored where browsers find it: `../vendor/<name>.js` beside the chat's folder. */
import { register } from "node:module";

const VENDOR = new URL("../../src/litro/vendor/assets/", import.meta.url);
const hooks = `
  export function resolve(specifier, context, next) {
    const name = /^\\.\\.\\/vendor\\/([a-z-]+\\.js)$/.exec(specifier)?.[1];
    return next(name ? new URL(name, ${JSON.stringify(VENDOR.href)}).href : specifier, context);
  }
  export async function load(url, context, next) {
    return next(url, url.startsWith(${JSON.stringify(VENDOR.href)}) ? { ...context, format: "module" } : context);
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
