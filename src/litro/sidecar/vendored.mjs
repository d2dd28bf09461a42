// Our own copies of Lit and its renderer, by the names that components import them under; and of what reads documents.

import { readFileSync } from "node:fs";

const SERVER = new URL("../vendor/server/", import.meta.url);

/** @type {Record<string, string>} */
export const files = JSON.parse(readFileSync(new URL("map.json", SERVER), "utf8"));

/** @param {string} specifier */
export const urlOf = (specifier) => new URL(/** @type {string} */ (files[specifier]), SERVER).href;

/**
 * @param {string} specifier
 * @returns {Promise<any>}
 */
export const vendored = (specifier) => import(urlOf(specifier));

/** @type {Record<string, string>} */
const readers = JSON.parse(readFileSync(new URL("readers.json", SERVER), "utf8"));

/**
 * What reads HTML, or CSS.
 * @param {string} specifier
 * @returns {Promise<any>}
 */
export const reader = (specifier) => import(new URL(/** @type {string} */ (readers[specifier]), SERVER).href);
