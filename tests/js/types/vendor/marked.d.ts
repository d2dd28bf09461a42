/** What of Marked is used by `src/litro/assets/chat/shapes.js`, which finds it at `../vendor/marked.js` (built by `js/assets.mjs`). */

export class Tokenizer {
  html(source: string): unknown;
  def(source: string): unknown;
}

export class Lexer {
  constructor(options: { gfm: boolean; breaks: boolean; tokenizer: Tokenizer });
  tokens: any[];
  inlineQueue: { src: string; tokens: any[] }[];
  blockTokens(source: string, tokens: any[]): any[];
  inlineTokens(source: string, tokens: any[]): any[];
}
