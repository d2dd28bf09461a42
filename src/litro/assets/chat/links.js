// @ts-check
/** Where an answer may lead, and which pictures it may load. Addresses are judged as the browser reads them, never by their looks. */

/** Schemes that a link may have. Everything else either runs something or asks another program to. */
const SCHEMES = ["http:", "https:", "mailto:"];

/** @typedef {{href: string, isElsewhere: boolean}} Link */

/**
 * The link that an address is; null where it is none, or one that nobody should follow.
 * @param {string} address As it was written.
 * @param {string} base The page's address.
 * @returns {Link | null}
 */
export function linkTo(address, base) {
  const url = parse(address, base);
  if (!url || !SCHEMES.includes(url.protocol)) return null;
  return { href: url.href, isElsewhere: url.protocol !== "mailto:" && url.origin !== new URL(base).origin };
}

/**
 * Whether an address is a place in the page itself.
 * @param {string} address As it was written.
 * @param {string} base The page's address.
 */
export function isWithin(address, base) {
  const [page, place] = parse(address, base)?.href.split("#") ?? [];
  return place !== undefined && page === base.split("#")[0];
}

/**
 * The address of a picture that may be loaded; null where it may not.
 * @param {string} address As it was written.
 * @param {string} base The page's address.
 * @param {string} allowed "none", or what is allowed, with spaces between: "origin" and origins such as "https://cdn.example".
 * @returns {string | null}
 */
export function pictureAt(address, base, allowed) {
  const origins = allowed.split(/[\s,]+/).filter((word) => word && word !== "none");
  if (origins.length === 0) return null;
  const url = parse(address, base);
  if (!url) return null;
  if (url.protocol === "data:") return /^image\//i.test(url.pathname) ? url.href : null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  const isAllowed = origins.some((word) => (word === "origin" ? new URL(base).origin : parse(word)?.origin) === url.origin);
  return isAllowed ? url.href : null;
}

/** @type {(address: string, base?: string) => URL | null} */
function parse(address, base) {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}
