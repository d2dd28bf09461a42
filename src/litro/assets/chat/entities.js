// @ts-check
/**
 * Character references in text: the numeric ones, and the names that people write.
 *
 * All 2,231 names would be as large as the rest of the chat, and only an HTML parser has them built in; none reads an answer.
 * A name that is not here is shown as it was written.
 */

/** @type {Record<string, string>} */
const NAMES = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", shy: "\u00ad" },
  ...{ ndash: "–", mdash: "—", hellip: "…", bull: "•", middot: "·", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„" },
  ...{ laquo: "«", raquo: "»", lsaquo: "‹", rsaquo: "›", copy: "©", reg: "®", trade: "™", deg: "°", sect: "§", para: "¶", dagger: "†" },
  ...{ euro: "€", pound: "£", yen: "¥", cent: "¢", micro: "µ", permil: "‰", prime: "′", Prime: "″", check: "✓", cross: "✗", star: "☆" },
  ...{ plusmn: "±", times: "×", divide: "÷", minus: "−", ne: "≠", le: "≤", ge: "≥", asymp: "≈", equiv: "≡", infin: "∞", radic: "√", sum: "∑", prod: "∏", int: "∫" },
  ...{ part: "∂", nabla: "∇", isin: "∈", notin: "∉", cap: "∩", cup: "∪", sub: "⊂", sup: "⊃", forall: "∀", exist: "∃", empty: "∅", and: "∧", or: "∨", not: "¬" },
  ...{ larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔", lArr: "⇐", rArr: "⇒", hArr: "⇔", sup1: "¹", sup2: "²", sup3: "³", frac12: "½", frac14: "¼", frac34: "¾" },
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", theta: "θ", lambda: "λ", mu: "μ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", omega: "ω", Delta: "Δ", Sigma: "Σ", Omega: "Ω" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è", ecirc: "ê", agrave: "à", acirc: "â", ccedil: "ç", ntilde: "ñ", oacute: "ó", aacute: "á", iacute: "í", uacute: "ú" },
};

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,31}));/g;

/** @param {string} text */
export function decoded(text) {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, decimal, hexadecimal, name) => {
    if (name) return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? whole) : whole;
    return character(decimal ? parseInt(decimal, 10) : parseInt(hexadecimal, 16));
  });
}

/** @param {number} code */
function character(code) {
  const isOne = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isOne ? String.fromCodePoint(code) : "\ufffd";
}
