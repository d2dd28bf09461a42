// @lit-labs/ssr's module of this name, less its loader hook for CSS modules: a hook registers a file of its own with Node, which
// a bundled graph does not have, and the project's bundler has resolved CSS by then.

import { installWindowOnGlobal } from "@lit-labs/ssr/lib/dom-shim.js";

installWindowOnGlobal();
